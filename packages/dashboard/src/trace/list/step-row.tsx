import { ChevronRight, OctagonX } from 'lucide-react'
import { memo } from 'react'
import { formatCompact, formatCount } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import type { StepBatch } from '../model/step-batch.ts'
import { type Axis, barOf, durationOf } from '../model/time-scale.ts'
import { Marked } from './marked.tsx'
import { kindOf } from './step-kind.ts'

export const ROW_HEIGHT = 28
/** The columns of every row and of the head above them: name, tokens, duration, waterfall. */
export const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4.5rem_minmax(4rem,30%)] sm:grid-cols-[minmax(10rem,1fr)_3.5rem_4.5rem_minmax(6rem,42%)]'

const INDENT = 14
/** Deeper steps stand no further to the right; their depth is written. */
const MOST_INDENTS = 16

interface StepRowProps {
  readonly steps: StepBatch
  readonly step: number
  readonly row: number
  readonly depth: number
  /** Undefined without children. */
  readonly open: boolean | undefined
  /** Failed steps in a fold. */
  readonly hiddenFailures: number
  readonly selected: boolean
  readonly matched: boolean
  readonly query: string
  readonly axis: Axis
  onSelect(step: number): void
  onFold(step: number): void
}

/** One step: where it stands, what it is, and when it ran. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { steps, step, row, depth, open, hiddenFailures, selected, matched, query, axis, onSelect, onFold } = props
  const name = steps.names[step] as string
  const type = steps.types[step] as string
  const model = steps.models[step] ?? null
  const failed = steps.failed[step] === true
  const tokens = steps.tokens[step] as number
  const duration = durationOf(steps, step)
  const { Icon, text } = kindOf(type)
  return (
    <div
      role="treeitem"
      id={`line-${steps.ids[step]}`}
      aria-level={depth + 1}
      aria-selected={selected}
      {...(open === undefined ? {} : { 'aria-expanded': open })}
      onClick={() => onSelect(step)}
      style={{ transform: `translateY(${row * ROW_HEIGHT}px)`, height: ROW_HEIGHT }}
      className={`${COLUMNS} absolute inset-x-0 top-0 cursor-default [contain:strict] items-center text-sm ${selected ? 'bg-selected' : matched ? 'bg-warn-ground' : failed ? 'bg-fail-ground' : 'hover:bg-hover'}`}
    >
      <div className="flex h-full min-w-0 items-center gap-1.5 pl-1.5">
        <Indent depth={depth} />
        {open === undefined ? (
          <span className="w-4 shrink-0" />
        ) : (
          <button
            type="button"
            tabIndex={-1}
            aria-label={open ? 'Fold' : 'Unfold'}
            onClick={(event) => {
              event.stopPropagation()
              onFold(step)
            }}
            className="text-muted hover:text-ink -my-1 grid h-6 w-4 shrink-0 place-items-center"
          >
            <ChevronRight className={`size-3.5 ${open ? 'rotate-90' : ''}`} aria-hidden />
          </button>
        )}
        <Icon className={`size-3.5 shrink-0 ${text}`} aria-hidden />
        <span className="sr-only">{type}</span>
        <bdi className="min-w-0 truncate" title={name.length > 24 ? name : undefined}>
          <Marked text={name} query={query} />
        </bdi>
        {model !== null && model !== name && (
          <bdi className="text-muted hidden min-w-0 shrink-[100] truncate text-xs sm:inline" title={model}>
            <Marked text={model} query={query} />
          </bdi>
        )}
        {failed && (
          <span className="text-fail shrink-0" title={steps.errors[step] ?? 'Failed'}>
            <OctagonX className="size-3.5" aria-hidden />
            <span className="sr-only">failed</span>
          </span>
        )}
        {hiddenFailures > 0 && (
          <span className="text-fail shrink-0 text-xs font-medium">{formatCount(hiddenFailures)} failed inside</span>
        )}
      </div>
      <span
        className="text-muted hidden pr-2 text-right text-xs tabular-nums sm:block"
        title={Number.isNaN(tokens) ? undefined : `${formatCount(tokens)} tokens`}
      >
        {!Number.isNaN(tokens) && formatCompact(tokens)}
      </span>
      <span className="text-muted truncate pr-2 text-right text-xs tabular-nums">
        {!Number.isNaN(duration) && formatDuration(duration)}
      </span>
      <Bar steps={steps} step={step} axis={axis} failed={failed} />
    </div>
  )
})

/** With a guide for each level. */
function Indent({ depth }: { depth: number }) {
  if (depth === 0) return null
  return (
    <span
      aria-hidden
      className="text-muted h-full shrink-0 bg-[repeating-linear-gradient(to_right,transparent_0_6px,var(--color-line)_6px_7px,transparent_7px_14px)] text-right text-[10px] leading-7"
      style={{ width: Math.min(depth, MOST_INDENTS) * INDENT }}
    >
      {depth > MOST_INDENTS && <span className="bg-ground px-0.5">{depth}</span>}
    </span>
  )
}

function Bar({ steps, step, axis, failed }: { steps: StepBatch; step: number; axis: Axis; failed: boolean }) {
  const { left, width, guessed } = barOf(steps, step, axis)
  const from = Math.max(left, 0)
  const to = Math.min(left + width, 1)
  const seen = to >= 0 && from <= 1
  const color = failed ? 'bg-fail' : kindOf(steps.types[step] as string).bar
  return (
    <span aria-hidden className="relative mr-3 h-full overflow-hidden">
      {seen && (
        <span
          className={`absolute top-2 h-3 rounded-[3px] ${guessed ? 'border border-dashed border-line-strong' : color}`}
          style={{
            left: `min(${from * 100}%, 100% - 3px)`,
            width: guessed ? 5 : `max(3px, ${(to - from) * 100}%)`,
          }}
        />
      )}
    </span>
  )
}
