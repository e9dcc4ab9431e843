import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { Marked } from '../../ui/text/marked.tsx'
import { foundIn } from './found-in.ts'

/** What the parts of a row show. */
export interface CellProps {
  readonly row: ListedTrace
  readonly query: string | undefined
  /** Whether the row's controls are tab stops. One row is enough: `j` and `k` reach the others. */
  readonly tabbable: boolean
}

/** The name of a trace: the link that covers its row, to the step that a search found. */
export function TraceLink({ row, query, tabbable, className }: CellProps & { className: string }) {
  const { snippet, id, name } = row
  return (
    <Link
      id={linkId(id)}
      to="/app/traces/$traceId"
      params={{ traceId: id }}
      search={foundIn(snippet, query)}
      tabIndex={tabbable ? 0 : -1}
      title={name}
      className={`block truncate font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent ${className}`}
    >
      <bdi>{name === '' ? '(no name)' : <Marked text={name} query={query} />}</bdi>
    </Link>
  )
}

export function linkId(traceId: string): string {
  return `open-${traceId}`
}
