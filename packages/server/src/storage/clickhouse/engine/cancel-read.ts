/**
 * Runs one read and ends it in the engine when `signal` aborts; rejects with the signal's reason then. The library can
 * only stop waiting for a read: `kill` is to end it from another session, and resolves with whether it found it.
 * Resolves or rejects only when neither runs any more, so that what the session runs next is not ended in its place.
 */
export async function cancellable<T>(
  signal: AbortSignal | null,
  read: () => Promise<T>,
  kill: () => Promise<boolean>,
): Promise<T> {
  if (signal === null) return read()
  let killed: Promise<void> | null = null
  const state = { ended: false }
  const killUntilFound = async () => {
    // The engine may not have begun with it yet.
    while (!state.ended && !(await kill()));
  }
  const onAbort = () => {
    killed = killUntilFound()
    // Its failure is that of the read, below.
    killed.catch(() => undefined)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await read()
  } finally {
    state.ended = true
    signal.removeEventListener('abort', onAbort)
    await killed
    signal.throwIfAborted()
  }
}
