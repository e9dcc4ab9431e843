import type { MonitorDraft } from './monitor-draft.ts'

/** What a part of the form is given: the draft, how to change it, and what the service says of a field. */
export interface DraftFieldsProps {
  readonly draft: MonitorDraft
  set(change: Partial<MonitorDraft>): void
  errorOf(pointer: string): string | undefined
}
