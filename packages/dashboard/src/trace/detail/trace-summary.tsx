import { OctagonX } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { formatCompact, formatCostShort, formatCount, formatSteps } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { useRead } from '../../lib/hooks/use-read.ts'
import { Skeleton } from '../../ui/states.tsx'
import type { Said } from '../model/exchange.ts'
import { costByModel, slowestSteps } from '../model/step-ranks.ts'
import { durationOf } from '../model/time-scale.ts'
import type { TraceSource } from '../reading/trace-source.ts'
import type { StepView } from '../use-step-view.ts'
import { Section } from './section.tsx'
import { TextPart } from './text-part.tsx'

const ERRORS = 10
const SLOWEST = 5

interface TraceSummaryProps {
  readonly source: TraceSource
  readonly view: StepView
  /** The number of steps; 0 while they load. */
  readonly count: number
  onStep(stepId: string): void
}

/** What matters first about a run: what went in and came out, what failed, what was dear and slow. */
export function TraceSummary({ source, view, count, onStep }: TraceSummaryProps) {
  const exchange = useRead(count === 0 ? null : () => source.exchange(), [source, count])
  const { steps, tree, failed } = view
  const costs = useMemo(() => costByModel(steps), [steps, tree])
  const slowest = useMemo(() => slowestSteps(steps, tree, SLOWEST), [steps, tree])
  const longest = slowest[0] === undefined ? NaN : durationOf(steps, slowest[0])
  const errors = failed.map((line) => tree.steps[line] as number)
  const link = (step: number, children: ReactNode) => (
    <StepButton onClick={() => onStep(steps.ids[step] as string)}>{children}</StepButton>
  )
  return (
    <>
      {errors.length > 0 && (
        <Section title={errors.length === 1 ? 'Error' : `${formatCount(errors.length)} errors`}>
          <ul className="space-y-1">
            {errors.slice(0, ERRORS).map((step) => (
              <li key={step} className="bg-fail-ground text-fail flex items-start gap-2 rounded-md px-3 py-1.5 text-sm">
                <OctagonX className="mt-0.5 size-4 shrink-0" aria-hidden />
                <span className="min-w-0 wrap-anywhere">
                  {link(step, <bdi>{steps.names[step]}</bdi>)}
                  {steps.errors[step] !== null && `: ${steps.errors[step]}`}
                </span>
              </li>
            ))}
          </ul>
          {errors.length > ERRORS && (
            <p className="text-muted text-sm">Press e to go through all {formatCount(errors.length)}.</p>
          )}
        </Section>
      )}
      {exchange === null && count > 0 && <Skeleton className="h-24" />}
      {exchange !== null && <Text title="Input" said={exchange.input} look="text" onStep={onStep} />}
      {exchange !== null && <Text title="Output" said={exchange.output} look="markdown" onStep={onStep} />}
      {costs.length > 0 && (
        <Section title="Cost by model">
          <table className="w-full text-sm tabular-nums">
            <thead className="sr-only">
              <tr>
                <th>Model</th>
                <th>Steps</th>
                <th>Tokens</th>
                <th>Cost</th>
              </tr>
            </thead>
            <tbody>
              {costs.map(({ model, steps: of, tokens, cost }) => (
                <tr key={model} className="border-b last:border-0">
                  <td className="w-full max-w-0 truncate py-1 pr-3" title={model}>
                    <bdi>{model}</bdi>
                  </td>
                  <td className="text-muted py-1 pr-3 text-right whitespace-nowrap">{formatSteps(of)}</td>
                  <td className="text-muted py-1 pr-3 text-right whitespace-nowrap">{formatCompact(tokens)} tokens</td>
                  <td className="py-1 text-right font-medium whitespace-nowrap">
                    {Number.isNaN(cost) ? 'no price' : formatCostShort(cost)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      {slowest.length > 1 && (
        <Section title="Slowest steps">
          <ol className="space-y-1 text-sm">
            {slowest.map((step) => (
              <li key={step} className="grid grid-cols-[minmax(0,1fr)_30%_5rem] items-center gap-3">
                <span className="truncate">{link(step, <bdi>{steps.names[step]}</bdi>)}</span>
                <span aria-hidden className="bg-sunken h-2 rounded-full">
                  <span
                    className="bg-accent block h-2 rounded-full"
                    style={{ width: `${(durationOf(steps, step) / longest) * 100}%` }}
                  />
                </span>
                <span className="text-right tabular-nums">{formatDuration(durationOf(steps, step))}</span>
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  )
}

interface TextProps {
  readonly title: string
  readonly said: Said | null
  readonly look: 'text' | 'markdown'
  onStep(stepId: string): void
}

function Text({ title, said, look, onStep }: TextProps) {
  if (said === null) return null
  const meta = (
    <StepButton onClick={() => onStep(said.stepId)}>
      <span className="text-xs">Step</span>
    </StepButton>
  )
  return (
    <Section title={title} meta={meta}>
      <div className={`rounded-lg border px-3 py-2.5 ${look === 'text' ? 'bg-selected' : 'bg-raised'}`}>
        <TextPart text={said.text} textStyle={look} formatted />
      </div>
    </Section>
  )
}

function StepButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="min-h-6 max-w-full truncate text-left underline decoration-dotted"
    >
      {children}
    </button>
  )
}
