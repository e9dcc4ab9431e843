import type { DeliveryDetail, DeliveryAttempt } from '@spoor/contract/schemas/delivery'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Until, Time } from '../../ui/time.tsx'
import { formatDuration } from '../../lib/format-time.ts'
import { Badge } from '../../ui/badge.tsx'
import { isSuccess } from './delivery-words.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

export function AttemptTimeline({ delivery: { attempts, status, next_attempt_at } }: { delivery: DeliveryDetail }) {
  const newestFirst = attempts.toReversed()
  return (
    <section aria-label="Attempts">
      <h3 className="mb-2 font-semibold">Attempts</h3>
      <ol className="ml-1.5 border-l">
        {status === 'pending' && next_attempt_at !== null && (
          <li className="relative pb-4 pl-5">
            <span
              aria-hidden
              className="bg-ground border-line-strong absolute top-1 -left-1.5 size-3 rounded-full border-2 border-dashed"
            />
            {attempts.length === 0 ? 'First attempt' : 'Next attempt'}{' '}
            <Until at={next_attempt_at} className="font-medium" />
          </li>
        )}
        {newestFirst.map((attempt, index) => (
          <AttemptItem key={attempt.number} attempt={attempt} before={newestFirst[index + 1]} isNewest={index === 0} />
        ))}
      </ol>
      {attempts.length === 0 && status !== 'pending' && <p className="text-muted">Never attempted</p>}
    </section>
  )
}

interface AttemptItemProps {
  readonly attempt: DeliveryAttempt
  readonly before: DeliveryAttempt | undefined
  readonly isNewest: boolean
}

function AttemptItem({ attempt, before, isNewest }: AttemptItemProps) {
  // An attempt that a reader has opened stays open when the next one comes.
  const [isOpen] = useState(isNewest)
  const { number, started_at, duration_ms, request, response, error } = attempt
  const ok = error === null && isSuccess(response?.status ?? null)
  const waitedMs = before && Date.parse(started_at) - Date.parse(before.started_at) - before.duration_ms
  return (
    <li className="relative pb-4 pl-5 last:pb-0">
      <span
        aria-hidden
        className={`absolute top-1 -left-1.5 size-3 rounded-full border-2 ${ok ? 'border-ok bg-ok' : 'border-fail bg-ground'}`}
      />
      <details open={isOpen} className="group">
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
          {waitedMs !== undefined && waitedMs > 0 && (
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

/** Foreign text, unchanged. */
function TextBlock({ title, text }: { title: string; text: string }) {
  if (text === '') return <p className="text-muted text-sm">{title}: empty</p>
  return (
    <div className="relative">
      <p className="text-muted mb-1 text-sm">{title}</p>
      <CopyButton text={text} label={`Copy: ${title.toLowerCase()}`} className="absolute top-5 right-1" />
      <pre
        tabIndex={0}
        aria-label={title}
        dir="ltr"
        className="bg-sunken max-h-80 overflow-auto rounded-md border p-2 pr-10 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  )
}

/** HTTP headers as sent, collapsed. */
function HeaderTable({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(headers)
  return (
    <details>
      <summary className="text-muted hover:text-ink text-sm">
        {title} ({entries.length})
      </summary>
      <dl className="bg-sunken mt-1 grid gap-x-4 gap-y-1 rounded-md border p-2 font-mono text-xs sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)]">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted break-words">{name}</dt>
            <dd className="break-all">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
