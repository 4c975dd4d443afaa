import type { UpgradedPeer } from '../../engine/message/response.ts';

/** A tunnel that calls `ended` once when it is over, however it ends. */
export function countedTunnel(tunnel: UpgradedPeer, ended: () => void): UpgradedPeer {
  return {
    get traffic() {
      return tunnel.traffic;
    },
    join(client, early, clientEnded, silence, over) {
      tunnel.join(client, early, clientEnded, silence, () => {
        ended();
        over();
      });
    },
    abandon() {
      ended();
      tunnel.abandon();
    },
  };
}
