import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'
import { Link } from '@tanstack/react-router'
import { Marked } from '../../ui/text/marked.tsx'
import { foundIn } from './found-in.ts'

interface TraceLinkProps {
  /** Where the search found it. */
  readonly snippet?: ListedTrace['snippet']
  readonly id: string
  readonly name: string
  readonly query: string | undefined
  /** Whether it is a tab stop. One row is enough: `j` and `k` reach the others. */
  readonly tabbable: boolean
  readonly className?: string
}

/** The name of a trace, the link that covers its row, and beside it the text that a search found. */
export function TraceLink({ snippet, id, name, query, tabbable, className = '' }: TraceLinkProps) {
  const link = (
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
  if (snippet === null || snippet === undefined) return link
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      {link}
      <bdi className="text-muted min-w-1/2 flex-1 truncate text-xs" title={snippet.text}>
        <Marked text={snippet.text} query={query} />
      </bdi>
    </span>
  )
}

export function linkId(traceId: string): string {
  return `open-${traceId}`
}
