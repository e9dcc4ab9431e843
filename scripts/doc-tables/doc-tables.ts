import { configTable } from './config-table.ts'
import type { DocTable } from './doc-table.ts'
import { fieldErrors, requestErrors } from './error-tables.ts'
import { eventTable } from './event-table.ts'
import { frameworkSections } from './framework-sections.ts'
import { capacities, fixedLimits, settableLimits } from './limit-tables.ts'
import { metricTable } from './metric-table.ts'
import { payloadForms } from './payload-forms.ts'

export const DOC_TABLES: readonly DocTable[] = [
  { page: 'docs/operate/configuration.md', name: 'config', render: configTable },
  { page: 'docs/operate/limits.md', name: 'limits', render: settableLimits },
  { page: 'docs/operate/limits.md', name: 'capacities', render: capacities },
  { page: 'docs/operate/limits.md', name: 'fixed-limits', render: fixedLimits },
  { page: 'docs/operate/health-and-metrics.md', name: 'metrics', render: metricTable },
  { page: 'docs/guide/errors.md', name: 'request-errors', render: requestErrors },
  { page: 'docs/guide/errors.md', name: 'field-errors', render: fieldErrors },
  { page: 'docs/guide/webhooks.md', name: 'events', render: eventTable },
  { page: 'docs/guide/message-forms.md', name: 'payload-forms', render: payloadForms },
  { page: 'docs/guide/connect.md', name: 'frameworks', render: frameworkSections },
]

/** @returns `text` with the table in its place. Throws when the page has no place for it. */
export async function withTable(text: string, { page, name, render }: DocTable): Promise<string> {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${page} has no ${start} followed by ${end}`)
  return `${text.slice(0, from)}${start}\n\n${await render()}\n\n${text.slice(to)}`
}
