import { useEffect, useState } from 'react'
import { parseExactJson } from '@spoor/payloads/exact-json'
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
  const [value, setValue] = useState<unknown>(undefined)
  useEffect(() => {
    if (!complete) return
    let wanted = true
    void source.text().then((text) => {
      if (wanted) setValue(parseExactJson(text))
    })
    return () => {
      wanted = false
    }
  }, [source, complete, count])
  if (value === undefined) return <SkeletonRows rows={6} />
  return (
    <div className="min-h-0 flex-1 space-y-2 overflow-y-auto p-4">
      <CopyButton labelled label="Copy JSON" text={() => source.text()} />
      <JsonView value={value} label="The trace as JSON" />
    </div>
  )
}
