import type { DeletedTrace, Journal } from '../../ports/journal/journal.ts'

export interface PendingDeletionsDependencies {
  readonly journal: Pick<Journal, 'pendingPurges'>
  /** Yields to other work. */
  readonly breathe: () => Promise<void>
}

const TOGETHER = 500

/** Deleted traces whose rows still exist, of all projects, a few hundred at a time; yields between them. */
export async function* pendingDeletions({
  journal,
  breathe,
}: PendingDeletionsDependencies): AsyncGenerator<readonly DeletedTrace[]> {
  let page = await journal.pendingPurges(TOGETHER)
  while (page.length > 0) {
    yield page
    if (page.length < TOGETHER) return
    await breathe()
    page = await journal.pendingPurges(TOGETHER, page.at(-1)!.traceId)
  }
}
