import { oneOf, searchOf, text } from '../lib/search.ts'

export const TABS = ['steps', 'conversation', 'json'] as const
export type Tab = (typeof TABS)[number]

export type TraceSearch = ReturnType<typeof traceSearch>

const stepId = (value: unknown) => (typeof value === 'string' && /^st_[0-9a-z]{26}$/.test(value) ? value : undefined)

export const traceSearch = searchOf({
  /** How the trace is shown; `steps` is not in the URL. */
  tab: oneOf(['conversation', 'json'] as const),
  /** The selected step. */
  step: stepId,
  /** Only the steps that led to this one are listed. */
  led_to: stepId,
  /** The search. */
  q: text,
  /** Shows the trace's summary where there is space for only one pane. */
  view: oneOf(['trace'] as const),
})
