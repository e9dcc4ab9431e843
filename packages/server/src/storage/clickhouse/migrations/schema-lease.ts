/**
 * Makes sure that one process at a time changes the schema of a store.
 *
 * An adapter MUST begin `work` only when no other holder runs, or can begin, a statement of its own, and MUST abort the
 * signal as soon as the lease may have passed to another holder. `work` begins no statement after that. One that is
 * under way goes on in the engine: each is safe to repeat. Resolves with the result of `work`; rejects with its error,
 * or when the lease cannot be had.
 */
export type SchemaLease = <T>(work: (lost: AbortSignal) => Promise<T>) => Promise<T>

/**
 * Of the embedded profile, which holds the lock of the data directory (storage/data-lock.ts) from before the store is
 * opened until its end.
 */
export const heldByDataLock: SchemaLease = (work) => work(new AbortController().signal)
