import type { DeletedTrace, Journal } from '../../ports/journal/journal.ts'

export interface PendingDeletionsDependencies {
  readonly journal: Pick<Journal, 'pendingPurges'>
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>
}

const TOGETHER = 500

/** Deleted traces whose rows are still there, of all projects: some hundred at once, with others' turns between. */
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
