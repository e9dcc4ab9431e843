import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { type KeyboardEvent as ReactKeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { type Shortcuts, useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Input } from '../../ui/field.tsx'
import { rangeHint, scoreChoices, type ScoreValue, toNumber } from '../../lib/score-value.ts'
import { type ScoringOptions, useScoring } from './use-scoring.ts'

interface ScoreFormProps extends Omit<ScoringOptions, 'metric'> {
  readonly metric: Metric
  readonly stepId: string | undefined
}

/** The values to choose from or a number field, and a comment. Digits choose, Enter sends a number. */
export function ScoreForm({ traceId, traceName, metric, stepId, tab }: ScoreFormProps) {
  const [comment, setComment] = useState('')
  const [number, setNumber] = useState('')
  const [isRefused, setIsRefused] = useState(false)
  const [ofStep, setOfStep] = useState(false)
  const commentField = useRef<HTMLInputElement>(null)
  const numberField = useRef<HTMLInputElement>(null)
  const scoring = useScoring({ traceId, traceName, metric: metric.name, tab })
  const ready = traceName !== null
  const choices = scoreChoices(metric)
  const isNumeric = metric.kind === 'numeric'
  useEffect(() => {
    setComment('')
    setNumber('')
    setIsRefused(false)
    setOfStep(false)
    numberField.current?.focus({ preventScroll: true })
  }, [traceId])
  const record = (value: ScoreValue) => {
    if (!ready) return
    scoring.record({ value, comment, stepId: ofStep ? (stepId ?? null) : null })
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const typed = toNumber(number)
    if (isNumeric && typed !== null) record({ value: typed })
    else if (isNumeric && number.trim() !== '') setIsRefused(true)
    else commentField.current?.blur()
  }
  const digits = Object.fromEntries(
    choices.flatMap(({ key, label, value }) =>
      key === null ? [] : [[key, { does: label, run: once(() => record(value)) }]],
    ),
  ) as Shortcuts
  useShortcuts('Score', {
    ...digits,
    '0': { does: 'Skip to the next trace without a score', run: once(scoring.skip) },
    c: { does: 'Write a comment, sent with the score', run: () => commentField.current?.focus() },
    ...(scoring.back === null ? {} : { u: { does: 'Back to the trace scored last', run: scoring.back } }),
  })
  return (
    <form onSubmit={submit} noValidate className="flex min-w-0 flex-wrap items-center gap-2">
      {choices.map(({ key, label, value }) => (
        <Button key={label} disabled={scoring.isBusy || !ready} onClick={() => record(value)} className="max-w-48">
          {key !== null && <kbd className="text-muted font-mono text-xs">{key}</kbd>}
          <bdi className="truncate">{label}</bdi>
        </Button>
      ))}
      {isNumeric && (
        <Input
          ref={numberField}
          aria-label={`Value of ${metric.name}`}
          aria-invalid={isRefused}
          title={isRefused ? 'Enter a number' : undefined}
          placeholder={rangeHint(metric) || 'Number'}
          inputMode="decimal"
          autoComplete="off"
          className="w-36! tabular-nums"
          onKeyDown={blurOnEscape}
          value={number}
          onText={(text) => {
            setNumber(text)
            setIsRefused(false)
          }}
        />
      )}
      <Input
        ref={commentField}
        aria-label="Comment"
        placeholder="Comment (c)"
        autoComplete="off"
        className="w-44!"
        value={comment}
        onText={setComment}
        onKeyDown={blurOnEscape}
      />
      {isNumeric && (
        <Button type="submit" variant="primary" disabled={scoring.isBusy || !ready || number.trim() === ''}>
          Score
        </Button>
      )}
      <Button variant="ghost" disabled={scoring.isBusy} onClick={scoring.skip}>
        <kbd className="font-mono text-xs">0</kbd> Skip
      </Button>
      {scoring.back !== null && (
        <Button
          variant="ghost"
          title="To correct a score, record another one. Undo, or the summary of the trace, removes it."
          onClick={() => scoring.back?.()}
        >
          <kbd className="font-mono text-xs">u</kbd> Back
        </Button>
      )}
      {stepId !== undefined && (
        <Checkbox
          label="Only the selected step"
          checked={ofStep}
          onChange={({ target }) => setOfStep(target.checked)}
        />
      )}
      <p role="status" className="text-muted text-sm">
        {scoring.count > 0 && `${formatCount(scoring.count)} scored`}
      </p>
    </form>
  )
}

/** A key that is held down scores one trace. */
function once(run: () => void): (event: KeyboardEvent) => void {
  return ({ repeat }) => {
    if (!repeat) run()
  }
}

function blurOnEscape({ key, currentTarget }: ReactKeyboardEvent<HTMLInputElement>): void {
  if (key === 'Escape') currentTarget.blur()
}
