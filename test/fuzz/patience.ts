/** Longer than anything takes that the gateway does without being told; after it something hangs. */
const PATIENCE = 120_000;

/** Waits for something that must come. @returns false when it did not. */
export async function comes(event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, false);
  });
  const came = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return came;
}
