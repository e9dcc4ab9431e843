import type { FindingKind } from '@spoor/contract/schemas/traces/finding'
import { ChevronRight, OctagonX, Repeat, Unlink } from 'lucide-react'
import { memo } from 'react'
import { formatCompact, formatCost, formatCostShort, formatCount } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import type { StepBatch } from '../model/step-batch.ts'
import { type Axis, type Bar as BarPlace, barOf, durationOf } from '../model/time-scale.ts'
import { Marked } from './marked.tsx'
import { kindOf } from './step-kind.ts'

export const ROW_HEIGHT = 28
/**
 * The columns of all rows and of their head, by the width of the list: name, tokens, cost, duration, waterfall. On a
 * wide list, `--names` is the share of all but the waterfall, which has at least the width `--waterfall`.
 */
export const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4.5rem_minmax(4rem,30%)] @md:grid-cols-[minmax(6rem,1fr)_var(--tokens,3.5rem)_4.5rem_minmax(var(--waterfall,6rem),calc(100%-var(--names)))] @2xl:grid-cols-[minmax(6rem,1fr)_var(--tokens,3.75rem)_var(--cost,5.25rem)_4.5rem_minmax(var(--waterfall,6rem),calc(100%-var(--names)))]'
export const TOKENS_SHOWN = 'hidden @md:block'
export const COST_SHOWN = 'hidden @2xl:block'
export const SPLITTER_SHOWN = 'hidden @md:flex'

const INDENT = 14
/** Deeper steps are not indented further, so that names stay readable; their depth is shown as a number. */
const MAX_INDENT = '35%'
/** Characters that fit into the column. Truncation costs more than the text itself, so only longer texts get it. */
const FITTING_DURATION = 11
const BAR_END = 12
const MIN_BAR = 3

interface StepRowProps {
  readonly steps: StepBatch
  readonly step: number
  readonly row: number
  /** It repeats the row of an ancestor that is scrolled away. */
  readonly isStuck: boolean
  readonly depth: number
  /** Undefined without steps inside or a run of repeated steps that begins here. */
  readonly open: boolean | undefined
  /** How many repeated steps the row stands for. */
  readonly times: number
  readonly lastOfRun: number
  /** Its own, or the sum of those inside; NaN if unknown. */
  readonly tokens: number
  readonly cost: number
  /** Failed steps in what is collapsed, without the step itself. */
  readonly hiddenFailures: number
  /** It is part of a loop, or made up a value. */
  readonly finding: FindingKind | undefined
  readonly selected: boolean
  readonly matched: boolean
  readonly query: string
  readonly axis: Axis
  onSelect(step: number): void
  onFold(step: number): void
}

const INSIDE = ' in the steps inside'

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { steps, step, open, times, lastOfRun, tokens, cost, hiddenFailures, selected, query } = props
  const name = steps.names[step] as string
  const type = steps.types[step] as string
  const model = steps.models[step] ?? null
  const failed = steps.failed[step] === true
  const isTokenSum = tokens !== steps.tokens[step]
  const isCostSum = cost !== steps.costs[step]
  const durationMs = durationOf(steps, step, lastOfRun)
  const duration = Number.isNaN(durationMs) ? '' : formatDuration(durationMs)
  const { path, text, bar } = kindOf(type)
  return (
    <div
      role="treeitem"
      id={props.isStuck ? undefined : `line-${steps.ids[step]}`}
      aria-level={props.depth + 1}
      aria-selected={selected}
      {...(open === undefined ? {} : { 'aria-expanded': open })}
      onClick={() => props.onSelect(step)}
      style={{ top: props.row * ROW_HEIGHT }}
      className={`${COLUMNS} absolute inset-x-0 h-7 cursor-default grid-rows-[1.75rem] [contain:strict] items-center text-sm ${selected ? 'bg-selected' : props.matched ? 'bg-warn-ground' : failed ? 'bg-fail-ground' : 'hover:bg-hover'}`}
    >
      <div className="flex h-full min-w-0 items-center gap-1.5 pl-1.5">
        <Indent depth={props.depth} />
        {open !== undefined && (
          <button
            type="button"
            tabIndex={-1}
            aria-label={open ? 'Collapse' : 'Expand'}
            onClick={(event) => {
              event.stopPropagation()
              props.onFold(step)
            }}
            className="text-muted hover:text-ink -my-1 grid h-6 w-4 shrink-0 place-items-center"
          >
            <ChevronRight className={`size-3.5 ${open ? 'rotate-90' : ''}`} aria-hidden />
          </button>
        )}
        <svg
          role="img"
          aria-label={type}
          viewBox="0 0 24 24"
          className={`size-3.5 shrink-0 fill-none stroke-current stroke-2 [stroke-linecap:round] [stroke-linejoin:round] ${text} ${open === undefined ? 'ml-5.5' : ''}`}
        >
          <path d={path} />
        </svg>
        <span className="flex min-w-0 items-center gap-1.5">
          <bdi className="max-w-full shrink-0 truncate" title={name.length > 24 ? name : undefined}>
            {query === '' ? name : <Marked text={name} query={query} />}
          </bdi>
          {times > 1 && <span className="text-muted shrink-0 text-xs font-medium tabular-nums">×{times}</span>}
          {model !== null && model !== name && (
            <bdi className="text-muted hidden min-w-0 truncate text-xs @md:inline" title={model}>
              {query === '' ? model : <Marked text={model} query={query} />}
            </bdi>
          )}
        </span>
        {failed && (
          <span className="text-fail shrink-0" title={steps.errors[step] ?? 'Failed'}>
            <OctagonX className="size-3.5" aria-hidden />
            <span className="sr-only">failed</span>
          </span>
        )}
        {props.finding !== undefined && <FindingMark kind={props.finding} />}
        {hiddenFailures > 0 && (
          <span className="text-fail shrink-0 text-xs font-medium">
            {formatCount(hiddenFailures)} {times > 1 ? 'more failed' : 'failed inside'}
          </span>
        )}
      </div>
      <span
        className={`text-muted pr-2 text-right text-xs whitespace-nowrap tabular-nums ${TOKENS_SHOWN}`}
        title={Number.isNaN(tokens) ? undefined : `${formatCount(tokens)} tokens${isTokenSum ? INSIDE : ''}`}
      >
        {Number.isNaN(tokens) ? '' : `${isTokenSum ? 'Σ ' : ''}${formatCompact(tokens)}`}
      </span>
      <span
        className={`text-muted pr-2 text-right text-xs whitespace-nowrap tabular-nums ${COST_SHOWN}`}
        title={Number.isNaN(cost) ? undefined : `${formatCost(cost)}${isCostSum ? INSIDE : ''}`}
      >
        {Number.isNaN(cost) ? '' : `${isCostSum ? 'Σ ' : ''}${formatCostShort(cost)}`}
      </span>
      <span
        className={`text-muted pr-2 text-right text-xs tabular-nums ${duration.length > FITTING_DURATION ? 'truncate' : 'whitespace-nowrap'}`}
      >
        {duration}
      </span>
      <Bar bar={barOfRun(steps, step, lastOfRun, props.axis)} color={failed ? 'bg-fail' : bar} />
    </div>
  )
})

function FindingMark({ kind }: { readonly kind: FindingKind }) {
  const isInvented = kind === 'value_from_nowhere'
  const Icon = isInvented ? Unlink : Repeat
  return (
    <span className="text-warn shrink-0" title={isInvented ? 'A value from nowhere' : 'Repeated without new content'}>
      <Icon className="size-3.5" aria-hidden />
      <span className="sr-only">{isInvented ? 'value from nowhere' : 'repeated'}</span>
    </span>
  )
}

/** With a guide for each level. */
function Indent({ depth }: { depth: number }) {
  if (depth === 0) return null
  return (
    <span
      aria-hidden
      className="text-muted h-full shrink-0 bg-[repeating-linear-gradient(to_right,transparent_0_6px,var(--color-line)_6px_7px,transparent_7px_14px)] text-right text-[10px] leading-7"
      style={{ width: `min(${depth * INDENT}px, ${MAX_INDENT})` }}
    >
      <span
        className="bg-ground inline-block h-full overflow-hidden align-top"
        // As wide as its text if the indent is limited, else 0.
        style={{ maxWidth: `max(0px, (${depth * INDENT - 1}px - 100%) * 100)` }}
      >
        {depth}
      </span>
    </span>
  )
}

/** From the start of a step to the end of another, or of itself. */
function barOfRun(steps: StepBatch, first: number, last: number, axis: Axis): BarPlace {
  const begin = barOf(steps, first, axis)
  if (first === last) return begin
  const end = barOf(steps, last, axis)
  return { ...begin, width: Math.max(begin.width, end.left + end.width - begin.left) }
}

/** The bar of the waterfall column, which has a margin of `BAR_END` at the right. */
function Bar({ bar: { left, width, guessed }, color }: { bar: BarPlace; color: string }) {
  const from = Math.max(left, 0)
  const to = Math.min(left + width, 1)
  const seen = to >= 0 && from <= 1
  return (
    <span
      aria-hidden
      className={`h-3 rounded-[3px] ${seen ? '' : 'invisible'} ${guessed ? 'border border-dashed border-line-strong' : color}`}
      style={
        seen
          ? {
              marginLeft: `min((100% - ${BAR_END}px) * ${from}, 100% - ${BAR_END + MIN_BAR}px)`,
              width: guessed ? 5 : `max(${MIN_BAR}px, (100% - ${BAR_END}px) * ${to - from})`,
            }
          : {}
      }
    />
  )
}
