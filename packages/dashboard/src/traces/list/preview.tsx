import type { ListedTrace, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { withoutMarkdown } from '../../lib/without-markdown.ts'
import { Marked } from '../../ui/text/marked.tsx'

interface PreviewProps {
  readonly row: Pick<TraceRow, 'input_preview' | 'output_preview' | 'status'>
  readonly query: string | undefined
}

export function Input({ row: { input_preview: text }, query }: PreviewProps) {
  return <Text text={text} query={query} none="no input" className="text-ink" />
}

/** What came out, on one line: of a failed run, its error. */
export function Output({ row: { output_preview: text, status }, query }: PreviewProps) {
  return <Text text={text} query={query} none="no output" className={status === 'error' ? 'text-fail' : 'text-muted'} />
}

export function Found({ snippet, query }: { snippet: NonNullable<ListedTrace['snippet']>; query: string | undefined }) {
  return <Text text={snippet.text} query={query} none="" className="text-muted" />
}

interface TextProps {
  readonly text: string | null
  readonly query: string | undefined
  readonly none: string
  readonly className: string
}

function Text({ text, query, none, className }: TextProps) {
  if (text === null) return <None label={none} />
  return (
    <bdi className={`block truncate ${className}`} title={text}>
      <Marked text={withoutMarkdown(text)} query={query} />
    </bdi>
  )
}

export function None({ label = 'none' }: { label?: string }) {
  return (
    <span className="text-muted">
      <span aria-hidden>–</span>
      <span className="sr-only">{label}</span>
    </span>
  )
}
