import type { MonitorDraft } from './monitor-draft.ts'

/** Props of a part of the form: the draft, its setter, and the errors by field. */
export interface DraftFieldsProps {
  readonly draft: MonitorDraft
  set(change: Partial<MonitorDraft>): void
  errorOf(pointer: string): string | undefined
}
