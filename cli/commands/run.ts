import { endAtStopSignal } from '../actions/stop-signals.ts';
import { connectorOptions } from '../options/connector-options.ts';
import { planeOptions, readLogFormat, unitsOption } from '../options/plane-options.ts';
import { secureOptions, secureProblem } from '../options/secure-options.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand } from './command.ts';

/** A configuration, served. */
export const runCommand = defineCommand({
  name: 'run',
  summary: 'serve a configuration directory',
  description:
    'Serves the configuration of an instance directory: config/admin.json, config/config.json and config/routes, ' +
    'OpenIG-compatible. Prints a summary of the loaded configuration. Changed files take effect without losing ' +
    'a request; if a file becomes invalid, its last good version stays in effect. SIGHUP checks every file now; SIGTERM and ' +
    'SIGINT stop accepting and let running requests finish; a second signal ends the process at once.',
  arguments: [
    {
      name: 'DIR',
      description:
        'Instance directory, or its configuration directory. By default the system property openig.base or ' +
        'ig.instance.dir, the variable OPENIG_BASE or IG_INSTANCE_DIR, or ~/.openig.',
      optional: true,
    },
  ],
  options: {
    ...connectorOptions,
    ...secureOptions,
    reports: {
      valueName: 'text|json|auto',
      description:
        'How changes of files and their problems are reported on the standard error once the gateway serves: as ' +
        'text, or as one JSON line each; "auto" means as --log-format says.',
      default: 'auto',
      read: readLogFormat,
    },
    watch: {
      flag: true,
      description: 'Apply changes at once, whatever the scan interval of a router is.',
    },
    system: systemOption,
    units: unitsOption,
    ...planeOptions,
  },
  examples: [
    {
      command: 'gatewarden run . --watch',
      effect: 'Serve the instance in this directory, and apply every change at once.',
    },
    {
      command: 'gatewarden run /etc/gatewarden --port 8443 -Dam.realm=/alpha',
      effect: 'Serve an instance on another port, with a value for the token &{am.realm}.',
    },
  ],
  async run(options, { DIR: directory }) {
    const problem = secureProblem(options);
    if (problem !== null) {
      process.stderr.write(`gatewarden run: ${problem}\n`);
      return 2;
    }
    endAtStopSignal();
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { runInstance } = await import('../actions/run-instance.ts');
    return runInstance(directory, { ...options, system: Object.fromEntries(options.system) });
  },
});
