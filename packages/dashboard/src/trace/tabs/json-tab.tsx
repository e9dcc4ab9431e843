import { parseExactJson } from '@spoor/payloads/exact-json'
import { useRead } from '../../lib/hooks/use-read.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import type { TraceSnapshot, TraceSource } from '../reading/trace-source.ts'

interface JsonTabProps {
  readonly source: TraceSource
  readonly snapshot: TraceSnapshot
}

/** The trace as the API returns it. */
export function JsonTab({ source, snapshot: { count, complete } }: JsonTabProps) {
  const value = useRead(complete ? async () => parseExactJson(await source.text()) : null, [source, complete, count])
  if (value === null) return <SkeletonRows rows={6} />
  return (
    <div className="min-h-0 flex-1 space-y-2 overflow-y-auto p-4">
      <CopyButton labelled label="Copy JSON" text={() => source.text()} />
      <JsonView value={value} label="The trace as JSON" />
    </div>
  )
}
