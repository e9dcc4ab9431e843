import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { Marked } from '../../ui/text/marked.tsx'
import { foundIn } from './found-in.ts'

interface TraceLinkProps {
  readonly row: ListedTrace
  readonly query: string | undefined
  /** Whether it is a tab stop. One row is enough: `j` and `k` reach the others. */
  readonly tabbable: boolean
  readonly className: string
}

/** The name of a trace: the link that covers its row, to the step that a search found. */
export function TraceLink({ row: { snippet, id, name }, query, tabbable, className }: TraceLinkProps) {
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
