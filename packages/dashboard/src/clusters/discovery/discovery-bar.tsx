import { CircleAlert, CircleCheck, Info, LoaderCircle, X } from 'lucide-react'
import type { Discovery } from './use-discovery.ts'
import { outcomeOf, progressOf } from './discovery-words.ts'

const OUTCOMES = {
  ok: { Icon: CircleCheck, className: 'bg-ok-ground text-ok' },
  warn: { Icon: Info, className: 'bg-warn-ground text-warn' },
  fail: { Icon: CircleAlert, className: 'bg-fail-ground text-fail' },
} as const

export function DiscoveryBar({ discovery: { job, dismiss } }: { discovery: Discovery }) {
  if (job === null) return null
  const progress = progressOf(job)
  if (progress !== null) {
    const percent = Math.round(progress.share * 100)
    return (
      <div className="bg-sunken flex items-center gap-3 border-b px-4 py-2 text-sm">
        <LoaderCircle className="text-accent size-4 shrink-0 animate-spin" aria-hidden />
        <span className="min-w-0 flex-1 truncate sm:flex-none sm:basis-80" role="status">
          {progress.text}
        </span>
        <div
          role="progressbar"
          aria-label="Discovery"
          aria-valuenow={percent}
          aria-valuetext={`${percent}%: ${progress.text}`}
          className="bg-line h-1.5 w-24 overflow-hidden rounded-full sm:w-auto sm:flex-1"
        >
          <div className="bg-accent h-full rounded-full transition-[width]" style={{ width: `${percent}%` }} />
        </div>
        <span className="text-muted w-10 text-right tabular-nums">{percent}%</span>
      </div>
    )
  }
  const outcome = outcomeOf(job)
  if (outcome === null) return null
  const { Icon, className } = OUTCOMES[outcome.kind]
  return (
    <div className={`flex items-start gap-3 border-b px-4 py-2 text-sm ${className}`}>
      <Icon className="mt-0.5 size-4 shrink-0" aria-hidden />
      <p role="status" className="min-w-0 flex-1 break-words">
        {outcome.text}
      </p>
      <button type="button" aria-label="Dismiss" onClick={dismiss} className="-m-1 p-1 hover:opacity-70">
        <X className="size-4" aria-hidden />
      </button>
    </div>
  )
}
