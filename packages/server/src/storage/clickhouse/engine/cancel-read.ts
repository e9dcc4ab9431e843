/**
 * Runs one read and ends it in the engine when `signal` aborts; then it rejects with the signal's reason. The library
 * can only stop waiting for a read, so `kill` must end it from another session; it resolves with whether it found the
 * read. Settles only when neither is running any more, so that the kill cannot hit the session's next query.
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
    // The engine may not have started it yet.
    while (!state.ended && !(await kill()));
  }
  const onAbort = () => {
    killed = killUntilFound()
    // The read below reports the failure.
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
