import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Columns2, Download, Flag, Gauge, OctagonX, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { metricsQuery, recordMetricEvent, removeMetricEvent } from '../../api/metrics.ts'
import { formatCount } from '../../lib/format-number.ts'
import { saveFile } from '../../lib/save-file.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { rangeHint, scoreChoices, type ScoreValue, toNumber } from '../../lib/score-value.ts'
import { bottomBar } from '../../ui/bottom-bar.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormEnd, FormModal } from '../../ui/form.tsx'
import { markOf } from '../../ui/marks.ts'
import { type Change, deletionOf, useChangeTraces } from '../../ui/use-change-traces.ts'

interface MarkedBarProps {
  readonly ids: readonly string[]
  /** The selected ones as the list shows them. */
  readonly rows: readonly ListedTrace[]
  /** Traces that stay selected; the others were changed. */
  onLeft(ids: readonly string[]): void
}

const COMPARE = 'Compare the two selected traces'

/** What can be done with the selected traces. Those that fail stay selected. */
export function MarkedBar({ ids, rows, onLeft }: MarkedBarProps) {
  const mayMark = useMay('ingest')
  const mayDelete = useMay('manage')
  const navigate = useNavigate()
  const [scores, setScores] = useState(false)
  const changing = useChangeTraces()
  const start = (change: Change) =>
    changing.mutate({ ...change, onChanged: ({ failed }) => onLeft(ids.filter((id) => failed.has(id))) })
  // The older one at the left: ids are in the order of time.
  const [left, right, ...others] = ids.toSorted()
  const compare =
    left === undefined || right === undefined || others.length > 0
      ? null
      : () => void navigate({ to: '/app/traces/compare', search: { left, right } })
  useShortcuts('Trace list', compare === null ? {} : { c: { does: COMPARE, run: compare } })
  const count = `${formatCount(ids.length)} ${ids.length === 1 ? 'trace' : 'traces'}`
  const disabled = changing.isPending
  const growing = rows.some((row) => row.growing)
  return (
    <div
      ref={bottomBar}
      role="region"
      aria-label="Selected traces"
      className="bg-raised flex flex-wrap items-center gap-2 border-t px-4 py-2 shadow-lg"
    >
      <span role="status" className="mr-2 font-medium tabular-nums">
        {count} selected
      </span>
      {compare !== null && (
        <Button icon={Columns2} onClick={compare} title="Compare (c)" action={COMPARE}>
          Compare
        </Button>
      )}
      <Button
        icon={Download}
        title="Save the selected rows as JSON lines"
        action={`Export ${count} as JSON lines`}
        onClick={() => saveFile('spoor-traces.jsonl', 'application/x-ndjson', toLines(rows))}
      >
        Export
      </Button>
      {mayMark && (
        <>
          <Button
            icon={Flag}
            disabled={disabled}
            onClick={() => start(markOf('flag', ids, growing))}
            action={`Flag ${count}`}
          >
            Flag
          </Button>
          <Button
            icon={OctagonX}
            disabled={disabled}
            onClick={() => start(markOf('fail', ids, growing))}
            action={`Mark ${count} failed`}
          >
            Mark failed
          </Button>
          <Button icon={Gauge} disabled={disabled} onClick={() => setScores(true)} action={`Score ${count}…`}>
            Score…
          </Button>
        </>
      )}
      {mayDelete && (
        <Button
          icon={Trash2}
          variant="danger"
          disabled={disabled}
          onClick={() => start(deletionOf(ids))}
          action={`Delete ${count}`}
        >
          Delete
        </Button>
      )}
      <Button icon={X} variant="ghost" className="ml-auto" onClick={() => onLeft([])}>
        Clear selection
      </Button>
      {scores && (
        <ScoreDialog
          count={count}
          onClose={() => setScores(false)}
          onScore={({ metric, value, comment }) => {
            setScores(false)
            const score = { name: metric, source: 'human' as const, ...value, ...(comment !== '' && { comment }) }
            const recorded = new Map<string, MetricEvent>()
            start({
              ids,
              what: 'scored',
              change: async (id) => recorded.set(id, await recordMetricEvent({ trace_id: id, ...score })),
              undone: 'no longer scored',
              undo: (id) => removeMetricEvent(recorded.get(id) as MetricEvent),
            })
          }}
        />
      )}
    </div>
  )
}

const toLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

interface ScoreDialogProps {
  /** "3 traces". */
  readonly count: string
  onScore(score: { readonly metric: string; readonly value: ScoreValue; readonly comment: string }): void
  onClose(): void
}

function ScoreDialog({ count, onScore, onClose }: ScoreDialogProps) {
  const { data: metrics, error } = useQuery(metricsQuery)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState(0)
  const [number, setNumber] = useState('')
  const [comment, setComment] = useState('')
  const metric = metrics?.find((each) => each.name === name) ?? metrics?.[0]
  const choices = metric === undefined ? [] : scoreChoices(metric)
  const typed = toNumber(number)
  const value = metric?.kind === 'numeric' ? (typed === null ? undefined : { value: typed }) : choices[chosen]?.value
  return (
    <FormModal
      title={`Score ${count}`}
      onClose={onClose}
      send={async () => {
        if (metric !== undefined && value !== undefined) onScore({ metric: metric.name, value, comment })
      }}
    >
      <ErrorText error={error} />
      {metrics?.length === 0 && <p>No metrics yet. Create one under Metrics.</p>}
      {metric !== undefined && (
        <>
          <Field label="Metric">
            <Select
              value={metric.name}
              onChoice={(next) => {
                setName(next)
                setChosen(0)
              }}
              options={metrics?.map((each) => each.name) ?? []}
            />
          </Field>
          <Field label="Score" hint={rangeHint(metric)}>
            {metric.kind === 'numeric' ? (
              <Input inputMode="decimal" value={number} onText={setNumber} />
            ) : (
              <Select
                value={String(chosen)}
                onChoice={(at) => setChosen(Number(at))}
                options={choices.map(({ label }, at) => [String(at), label])}
              />
            )}
          </Field>
          <Field label="Comment (optional)">
            <Input value={comment} onText={setComment} />
          </Field>
          <FormEnd submit={`Score ${count}`} disabled={value === undefined} onCancel={onClose} />
        </>
      )}
    </FormModal>
  )
}
