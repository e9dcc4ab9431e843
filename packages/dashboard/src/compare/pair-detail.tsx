import type { StepDifference, StepPair } from '@spoor/contract/schemas/traces/trace-comparison'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { isFields } from '@spoor/payloads/json'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { formatCostExact, formatCount } from '../lib/format-number.ts'
import { textDifference } from '../lib/text-difference.ts'
import { MessageCard } from '../trace/detail/message-card.tsx'
import { StepDetail } from '../trace/detail/step-detail.tsx'
import { useStep } from '../trace/reading/use-trace.ts'
import type { TraceSource } from '../trace/reading/trace-source.ts'
import { Button } from '../ui/button.tsx'
import { ChangedWords } from '../ui/text/changed-words.tsx'
import { JsonView } from '../ui/text/json-view.tsx'
import { placeWords } from './difference-words.ts'
import type { Side } from './use-side.ts'

const COLUMNS = 'grid gap-x-4 gap-y-2 md:grid-cols-2'

/** Where the steps of a pair differ; the whole step if it has no counterpart, or differs in nothing. */
export function PairDetail({ pair, sides }: { pair: StepPair; sides: { readonly left: Side; readonly right: Side } }) {
  const { kind, differences, more_differences: more, repeated_differences: repeated } = pair
  const [chosen, setWhole] = useState(false)
  const isPair = kind === 'changed' || kind === 'same'
  const whole = chosen || !isPair
  return (
    <div className="bg-sunken space-y-3 border-t px-4 py-3">
      {differences.map((difference, at) => (
        // Two messages that replace each other have the same path.
        <DifferenceItem key={at} difference={difference} />
      ))}
      {repeated > 0 && (
        <p className="text-muted text-sm">
          {formatCount(repeated)} {repeated === 1 ? 'message differs' : 'messages differ'} as in an earlier step.
        </p>
      )}
      {more > 0 && (
        <p className="text-muted text-sm">
          {formatCount(more)} more {more === 1 ? 'difference is' : 'differences are'} not listed.
        </p>
      )}
      {isPair && (
        <Button aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? 'Hide the whole steps' : 'Show the whole steps'}
        </Button>
      )}
      {whole && (
        <div className={COLUMNS}>
          <WholeStep side={sides.left} stepId={pair.left_step_id} />
          <WholeStep side={sides.right} stepId={pair.right_step_id} />
        </div>
      )}
    </div>
  )
}

function DifferenceItem({ difference }: { readonly difference: StepDifference }) {
  const { path, left, right } = difference
  const [before, after] = [shortText(path, left), shortText(path, right)]
  const pieces = useMemo(
    () => (before === null || after === null ? null : textDifference(before ?? '', after ?? '')),
    [before, after],
  )
  return (
    <section className="space-y-1">
      <h2 className="text-muted truncate text-xs font-semibold" title={path}>
        <bdi>{placeWords(path)}</bdi>
      </h2>
      <div className={COLUMNS}>
        {(['left', 'right'] as const).map((side) => {
          const value = difference[side]
          if (value === undefined)
            return (
              <p key={side} className="text-muted text-sm italic">
                Not at the {side}
              </p>
            )
          return (
            <div
              key={side}
              className="bg-ground max-h-96 min-w-0 overflow-y-auto rounded-md border px-3 py-2"
              tabIndex={0}
              role="group"
              aria-label={side}
            >
              {pieces === null ? (
                <Value path={path} value={value} />
              ) : (
                <ChangedWords pieces={pieces.filter(({ kind }) => kind !== (side === 'left' ? 'added' : 'removed'))} />
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}

/** Null for an object or a list. */
function shortText(path: string, value: unknown): string | null {
  if (value === undefined) return ''
  if (typeof value === 'object' && value !== null) return null
  if (path === '/cost_usd') return value === null ? 'none' : formatCostExact(Number(value))
  if (path.startsWith('/token_usage/') && typeof value === 'number') return formatCount(value)
  return String(value ?? 'none')
}

function Value({ path, value }: { readonly path: string; readonly value: unknown }) {
  if (/^\/messages\/\d+$/.test(path) && isFields(value) && typeof value['role'] === 'string') {
    return (
      <ol>
        <MessageCard message={value as MessageBody} formatted />
      </ol>
    )
  }
  if (typeof value === 'object' && value !== null) return <JsonView value={value} label={placeWords(path)} />
  return <p className="text-sm wrap-anywhere whitespace-pre-wrap">{shortText(path, value)}</p>
}

function WholeStep({
  side: { traceId, source, steps, indexOf },
  stepId,
}: {
  readonly side: Side
  readonly stepId: string | null
}) {
  const index = indexOf(stepId)
  if (stepId === null) return <div className="max-md:hidden" />
  if (source === null || steps === undefined || index === undefined) return <p className="text-muted">Loading…</p>
  return <ReadStep {...{ traceId, source, steps, index }} />
}

interface ReadStepProps extends Pick<Side, 'traceId'> {
  readonly source: TraceSource
  readonly steps: NonNullable<Side['steps']>
  readonly index: number
}

function ReadStep({ traceId, source, steps, index }: ReadStepProps) {
  const step = useStep(source, index)
  const navigate = useNavigate()
  return (
    <div className="bg-ground min-w-0 rounded-md border">
      <StepDetail
        source={null}
        traceId={traceId}
        steps={steps}
        index={index}
        step={step}
        metricEvents={[]}
        onStep={(id) => void navigate({ to: '/app/traces/$traceId', params: { traceId }, search: { step: id } })}
      />
    </div>
  )
}
