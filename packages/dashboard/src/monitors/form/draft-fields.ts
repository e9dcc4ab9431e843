import type { MonitorDraft } from './monitor-draft.ts'

/** Props of a part of the form: the draft and its setter. */
export interface DraftFieldsProps {
  readonly draft: MonitorDraft
  set(change: Partial<MonitorDraft>): void
}
