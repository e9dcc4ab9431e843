import type { DeliveryAttempt } from '@spoor/contract/schemas/delivery'
import { ChevronRight } from 'lucide-react'
import { formatDuration } from '../../lib/format-time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { isSuccess } from './delivery-words.ts'
import { HeaderTable } from './header-table.tsx'
import { TextBlock } from './text-block.tsx'

interface AttemptItemProps {
  readonly attempt: DeliveryAttempt
  readonly before: DeliveryAttempt | null
  readonly initiallyOpen: boolean
}

export function AttemptItem({ attempt, before, initiallyOpen }: AttemptItemProps) {
  const { number, started_at, duration_ms, request, response, error } = attempt
  const ok = error === null && isSuccess(response?.status ?? null)
  const waitedMs = before === null ? null : Date.parse(started_at) - Date.parse(before.started_at) - before.duration_ms
  return (
    <li className="relative pb-4 pl-5 last:pb-0">
      <span
        aria-hidden
        className={`absolute top-1 -left-1.5 size-3 rounded-full border-2 ${ok ? 'border-ok bg-ok' : 'border-fail bg-ground'}`}
      />
      <details open={initiallyOpen} className="group">
        <summary className="hover:bg-hover -ml-1 flex list-none items-start gap-1 rounded px-1 [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="text-muted mt-0.5 size-4 shrink-0 group-open:rotate-90" />
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-medium">Attempt {number}</span>
            <Badge tone={ok ? 'ok' : 'fail'}>{response === null ? 'no response' : `response ${response.status}`}</Badge>
            <span className="text-muted tabular-nums">{formatDuration(duration_ms)}</span>
            <Time at={started_at} exact className="text-muted text-xs whitespace-normal!" />
          </span>
        </summary>
        <div className="mt-2 space-y-3">
          {waitedMs !== null && waitedMs > 0 && (
            <p className="text-muted text-sm">
              {formatDuration(waitedMs)} after attempt {before?.number}.
            </p>
          )}
          {error !== null && (
            <p className="text-fail break-words">
              {error.detail} <code className="font-mono text-xs">{error.code}</code>
            </p>
          )}
          {response !== null && (
            <>
              <HeaderTable title="Response headers" headers={response.headers} />
              <TextBlock
                title={response.truncated ? 'Response body (first 16 KiB)' : 'Response body'}
                text={response.body}
              />
            </>
          )}
          <HeaderTable title="Request headers" headers={{ 'POST to': request.url, ...request.headers }} />
        </div>
      </details>
    </li>
  )
}
