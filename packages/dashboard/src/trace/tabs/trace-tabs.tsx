import { Link } from '@tanstack/react-router'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { TABS, type Tab } from '../search.ts'
import { useRead } from '../../lib/hooks/use-read.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import type { TraceSnapshot, TraceSource } from '../reading/trace-source.ts'

const WORDS: Readonly<Record<Tab, string>> = { steps: 'Steps', conversation: 'Conversation', json: 'JSON' }

/** `stepId`: the step that was shown last, on which the steps open again. */
export function TraceTabs({ traceId, tab, stepId }: { traceId: string; tab: Tab; stepId: string | undefined }) {
  return (
    <nav aria-label="Views of this trace" className="-mb-2.5 flex gap-4 text-sm">
      {TABS.map((each, index) => (
        <Link
          key={each}
          to="/app/traces/$traceId"
          params={{ traceId }}
          search={each === 'steps' ? (stepId === undefined ? {} : { step: stepId }) : { tab: each }}
          replace
          // Otherwise the steps, without a parameter, would be marked in every tab.
          activeOptions={{ exact: true, includeSearch: true }}
          title={`${WORDS[each]} (${index + 1})`}
          {...(each === tab ? { 'aria-current': 'page' as const } : {})}
          className="text-muted hover:text-ink aria-[current=page]:text-ink aria-[current=page]:border-accent border-b-2 border-transparent py-1.5 font-medium"
        >
          {WORDS[each]}
        </Link>
      ))}
    </nav>
  )
}

export function JsonTab({ source, snapshot: { count, complete } }: { source: TraceSource; snapshot: TraceSnapshot }) {
  const value = useRead(complete ? async () => parseExactJson(await source.text()) : null, [source, complete, count])
  if (value === null) return <SkeletonRows rows={6} />
  return (
    <div className="min-h-0 flex-1 space-y-2 overflow-y-auto p-4">
      <CopyButton labelled label="Copy JSON" text={() => source.text()} />
      <JsonView value={value} label="The trace as JSON" />
    </div>
  )
}
