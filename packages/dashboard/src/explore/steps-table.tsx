import type { StepRow } from '@spoor/contract/schemas/traces/step-row'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { formatCompact, formatCostShort } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { useRowKeys } from '../lib/hooks/use-row-keys.ts'
import { withoutMarkdown } from '../lib/without-markdown.ts'
import { kindOf } from '../trace/list/step-kind.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import type { Sort } from '../traces/list/columns.ts'
import { sortedState } from '../traces/list/sort-choice.ts'
import { SortButton } from '../ui/sort-button.tsx'
import { Time } from '../ui/time.tsx'

interface Column {
  readonly label: string
  readonly className: string
  readonly sort?: Sort
  /** Null for a step without it; a column that no step has is left out. */
  of(step: StepRow): string | null
}

const NUMBER = 'text-right tabular-nums whitespace-nowrap max-md:hidden'
const TEXT = 'max-w-48 truncate max-lg:hidden'

const COLUMNS: readonly Column[] = [
  { label: 'Tool', className: TEXT, of: ({ tool }) => tool },
  { label: 'Model', className: TEXT, of: ({ model }) => model },
  { label: 'Trace', className: `${TEXT} max-xl:hidden`, of: ({ trace_name: name }) => name.slice(0, 200) },
  {
    label: 'Duration',
    className: NUMBER,
    sort: 'duration_ms',
    of: ({ duration_ms: ms }) => (ms === null ? null : formatDuration(ms)),
  },
  {
    label: 'First token',
    className: `${NUMBER} max-xl:hidden`,
    of: ({ time_to_first_token_ms: ms }) => (ms === null ? null : formatDuration(ms)),
  },
  {
    label: 'Tokens',
    className: NUMBER,
    sort: 'total_tokens',
    of: ({ token_usage: { total } }) => (total === 0 ? null : formatCompact(total)),
  },
  {
    label: 'Cost',
    className: NUMBER,
    sort: 'cost_usd',
    of: ({ cost_usd: usd }) => (usd === null ? null : formatCostShort(usd)),
  },
]

const CELL = 'px-3 py-1.5'

interface StepsTableProps {
  readonly steps: readonly StepRow[]
  readonly search: Pick<FeedSearch, 'sort' | 'order'>
  /** Undefined: the order is fixed. */
  onSort?(sort: Sort): void
}

/** Steps of any traces, one line each. */
export function StepsTable({ steps, search, onSort }: StepsTableProps) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Steps', table)
  const columns = COLUMNS.filter(({ of, sort }) => sort === search.sort || steps.some((step) => of(step) !== null))
  const hasStart = search.sort === 'started_at' || steps.some(({ started_at: at }) => at !== null)
  const sortedBy = (sort: Sort) => sortedState({ ...search, as: 'steps' }, sort)
  const head = (label: string, className: string, sort?: Sort) => {
    const sorts = sort !== undefined && onSort !== undefined
    return (
      <th
        key={label}
        scope="col"
        className={`${CELL} font-medium ${className}`}
        {...(sorts ? { 'aria-sort': sortedBy(sort) } : {})}
      >
        {sorts ? <SortButton label={label} sorted={sortedBy(sort)} onSort={() => onSort(sort)} /> : label}
      </th>
    )
  }
  return (
    <table ref={table} aria-label="Steps" className="w-full text-sm">
      <thead className="bg-sunken sticky top-0 z-20">
        <tr className="text-muted border-b text-left text-xs">
          {head('Step', '', 'created_at')}
          {head('Input and output', 'max-md:hidden')}
          {columns.map(({ label, className, sort }) => head(label, className, sort))}
          {hasStart && head('Started', 'text-right max-md:hidden', 'started_at')}
        </tr>
      </thead>
      <tbody>
        {steps.map((step) => (
          <StepLine key={`${step.trace_id} ${step.id}`} step={step} columns={columns} hasStart={hasStart} />
        ))}
      </tbody>
    </table>
  )
}

function StepLine({ step, columns, hasStart }: { step: StepRow; columns: readonly Column[]; hasStart: boolean }) {
  const { Icon, text } = kindOf(step.type)
  const failed = step.status === 'error'
  const error = failed ? [step.error?.type, step.error?.message].filter(Boolean).join(': ') || 'failed' : null
  return (
    <tr className="hover:bg-hover focus-within:bg-hover relative border-b">
      <td className={`${CELL} w-1/4 max-w-0 max-md:w-full`}>
        <Link
          data-row=""
          to="/app/traces/$traceId"
          params={{ traceId: step.trace_id }}
          search={{ step: step.id }}
          className="flex items-center gap-2 font-medium after:absolute after:inset-0"
          title={`${step.name}, ${step.type}`.slice(0, 1000)}
        >
          <Icon className={`size-4 shrink-0 ${text}`} aria-label={step.type} />
          <bdi className={`truncate ${failed ? 'text-fail' : ''}`}>{step.name.slice(0, 300)}</bdi>
          {failed && <span className="sr-only">failed</span>}
        </Link>
        {error !== null && <p className="text-fail truncate text-xs md:hidden">{error}</p>}
      </td>
      <td className={`${CELL} w-3/4 max-w-0 truncate max-md:hidden`}>
        {error !== null && (
          <bdi className="text-fail mr-2" title={error}>
            {error}
          </bdi>
        )}
        {step.input !== null && <bdi title={step.input}>{withoutMarkdown(step.input)}</bdi>}
        {step.output !== null && error === null && (
          <bdi className="text-muted" title={step.output}>
            {step.input !== null && ' → '}
            {withoutMarkdown(step.output)}
          </bdi>
        )}
      </td>
      {columns.map(({ label, className, of }) => {
        const shown = of(step)
        return (
          <td key={label} className={`${CELL} ${className} text-muted`} {...(shown === null ? {} : { title: shown })}>
            {shown === null ? '–' : <bdi>{shown}</bdi>}
          </td>
        )
      })}
      {hasStart && (
        <td className={`${CELL} text-muted text-right whitespace-nowrap max-md:hidden`}>
          {step.started_at === null ? '–' : <Time at={step.started_at} className="relative z-1" />}
        </td>
      )}
    </tr>
  )
}
