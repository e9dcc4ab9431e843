import type { StepPair, TraceComparison } from '@spoor/contract/schemas/traces/trace-comparison'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight, OctagonX, UnfoldVertical } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { formatCompact, formatCost, formatSteps } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { toggled } from '../lib/toggled.ts'
import { kindOf } from '../trace/list/step-kind.ts'
import { durationOf } from '../trace/model/time-scale.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { KIND_WORDS } from './difference-words.ts'
import { PairDetail } from './pair-detail.tsx'
import { pairRows } from './pair-rows.ts'
import { type Side, useSide } from './use-side.ts'

const ROW_HEIGHT = 40
const TONES: Readonly<Record<StepPair['kind'], Tone>> = {
  same: 'plain',
  changed: 'warn',
  only_left: 'fail',
  only_right: 'ok',
}

/** Both runs, aligned. Only the visible rows are rendered. The first pair that differs is open. */
export function PairList({
  comparison: { pairs, left, right, first_divergence: first },
}: {
  comparison: TraceComparison
}) {
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(first === null ? [] : [first.pair]))
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => pairRows(pairs, unfolded), [pairs, unfolded])
  const sides = { left: useSide(left.id), right: useSide(right.id) }
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => (rows[index]?.count === 1 ? rows[index].at : `fold ${rows[index]?.at}`),
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    initialRect: { width: innerWidth, height: innerHeight },
  })
  return (
    <div
      ref={scroller}
      role="region"
      tabIndex={0}
      aria-label="Steps of both traces"
      className="min-h-[60dvh] flex-1 overflow-y-auto -outline-offset-2! md:min-h-0"
    >
      <ol className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const { at, count } = rows[index]!
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute inset-x-0 border-b"
              style={{ transform: `translateY(${start}px)` }}
            >
              {count > 1 ? (
                <button
                  type="button"
                  className="text-muted bg-sunken hover:bg-hover flex h-9 w-full items-center justify-center gap-2 text-sm"
                  onClick={() => setUnfolded((before) => toggled(before, at))}
                >
                  <UnfoldVertical className="size-3.5" aria-hidden /> {formatSteps(count)} the same
                </button>
              ) : (
                <PairItem
                  pair={pairs[at]!}
                  sides={sides}
                  isOpen={open.has(at)}
                  onToggle={() => setOpen((before) => toggled(before, at))}
                />
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}

interface PairItemProps {
  readonly pair: StepPair
  readonly sides: { readonly left: Side; readonly right: Side }
  readonly isOpen: boolean
  onToggle(): void
}

function PairItem({ pair, sides, isOpen, onToggle }: PairItemProps) {
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="hover:bg-hover grid min-h-10 w-full grid-cols-[7rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-1 text-left text-sm md:grid-cols-[7rem_minmax(0,1fr)_minmax(0,1fr)]"
      >
        <span className="flex items-center gap-1 max-md:row-span-2">
          <ChevronRight className={`text-muted size-3.5 shrink-0 ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
          <Badge tone={TONES[pair.kind]}>{KIND_WORDS[pair.kind]}</Badge>
        </span>
        <StepLine side={sides.left} stepId={pair.left_step_id} position={pair.left_position} name={pair.name} />
        <StepLine side={sides.right} stepId={pair.right_step_id} position={pair.right_position} name={pair.name} />
      </button>
      {isOpen && <PairDetail pair={pair} sides={sides} />}
    </>
  )
}

interface StepLineProps {
  readonly side: Side
  readonly stepId: string | null
  readonly position: number | null
  /** Until the step is read. */
  readonly name: string
}

function StepLine({ side: { steps, indexOf }, stepId, position, name }: StepLineProps) {
  const index = indexOf(stepId)
  if (position === null)
    return <span aria-hidden className="border-line-strong hidden border-b border-dashed md:block" />
  const known = steps === undefined || index === undefined ? null : { steps, index }
  const kind = known === null ? null : kindOf(known.steps.types[known.index] as string)
  return (
    <span className="flex min-w-0 items-center gap-x-1.5 leading-6 max-md:flex-wrap">
      <span className="text-muted w-8 shrink-0 text-right text-xs tabular-nums">{position + 1}</span>
      {kind !== null && <kind.Icon className={`size-3.5 shrink-0 ${kind.text}`} aria-hidden />}
      <bdi className="min-w-0 truncate max-md:max-w-[calc(100%-6rem)]">{known?.steps.names[known.index] ?? name}</bdi>
      {known?.steps.failed[known.index] === true && (
        <>
          <OctagonX className="text-fail size-3.5 shrink-0" aria-hidden />
          <span className="sr-only">failed</span>
        </>
      )}
      <span className="text-muted ml-auto shrink-0 pl-2 text-xs tabular-nums max-md:ml-0 max-md:basis-full max-md:pl-9.5">
        {known !== null && figuresOf(known.steps, known.index).join(' · ')}
      </span>
    </span>
  )
}

function figuresOf(steps: NonNullable<Side['steps']>, index: number): readonly string[] {
  const [tokens, cost, duration] = [steps.tokens[index]!, steps.costs[index]!, durationOf(steps, index)]
  return [
    Number.isNaN(tokens) ? '' : `${formatCompact(tokens)} tokens`,
    Number.isNaN(cost) ? '' : formatCost(cost),
    Number.isNaN(duration) ? '' : formatDuration(duration),
  ].filter((text) => text !== '')
}
