/**
 * Ensures that only one process at a time changes the schema of a store.
 *
 * An adapter MUST start `work` only when no other holder runs, or can start, a statement, and MUST abort the signal as
 * soon as the lease may have passed to another holder. `work` starts no statement after that. A running statement
 * continues in the engine; each is safe to repeat. Resolves with the result of `work`; rejects with its error, or when
 * the lease cannot be acquired.
 */
export type SchemaLease = <T>(work: (lost: AbortSignal) => Promise<T>) => Promise<T>

/**
 * For the embedded profile, which holds the lock of the data directory (storage/data-lock.ts) from before the store is
 * opened until the end.
 */
export const heldByDataLock: SchemaLease = (work) => work(new AbortController().signal)
