import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatCompact, formatCount, formatShare } from '../lib/format-number.ts'
import { OfScreen } from '../lib/hooks/use-shortcuts.ts'
import { LINES_MAX, LINES_SHOWN, lineStyle } from '../lib/line-styles.ts'
import { saveFile, toCsv } from '../lib/save-file.ts'
import type { SeriesColumns } from '../lib/series-data.ts'
import { LineSwatch } from '../ui/charts/chart-legend.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { SortButton } from '../ui/sort-button.tsx'
import { type GroupRow, groupRows, type GroupSort, GROUP_SORTS, sortedRows } from './group-rows.ts'
import type { Statistic } from './statistics.ts'

interface GroupTableProps {
  readonly columns: SeriesColumns
  readonly statistic: Statistic
  /** "traces" */
  readonly rows: string
  /** Keys of the groups that have lines. */
  readonly shown: readonly string[]
  /** Number of further groups, which the service returns as one. */
  readonly leftOut: number
  readonly isGrouped: boolean
  labelOf(key: string): string
  readonly chosen: string | undefined
  onChoose(group: string | undefined): void
  /** Undefined: back to the first. */
  onShow(keys: readonly string[] | undefined): void
}

const CELL = 'px-2 py-1 text-right whitespace-nowrap'

/** The groups of a chart over the whole range: what they amount to, against the period before. */
export function GroupTable({ columns, statistic, leftOut, ...table }: GroupTableProps) {
  const { rows: counted, shown, isGrouped, labelOf, chosen, onChoose, onShow } = table
  const [sort, setSort] = useState<{ readonly by: GroupSort; readonly ascending: boolean } | null>(null)
  const ranked = useMemo(() => groupRows(columns, statistic), [columns, statistic])
  const rows = sort === null ? ranked : sortedRows(ranked, sort.by, sort.ascending)
  const labels: Readonly<Record<GroupSort, string>> = {
    key: 'Group',
    count: counted.slice(0, 1).toUpperCase() + counted.slice(1),
    value: statistic.label,
    change: 'Change',
    share: 'Share',
  }
  const sortBy = (by: GroupSort) =>
    setSort((last) => ({ by, ascending: last?.by === by ? !last.ascending : by === 'key' }))
  const save = () => {
    const [, ...numbers] = GROUP_SORTS
    const lines = rows.map((row) => [
      row.rank === null ? otherLabel(leftOut) : labelOf(row.key),
      ...numbers.map((by) => row[by]),
    ])
    saveFile('spoor-groups.csv', 'text/csv', toCsv([GROUP_SORTS.map((by) => labels[by]), ...lines]))
  }
  const toggle = (key: string) => onShow(shown.includes(key) ? shown.filter((each) => each !== key) : [...shown, key])
  return (
    <section aria-label="Groups" className="min-w-0 text-sm">
      <div className="max-h-80 overflow-auto rounded-md border" tabIndex={0} role="region" aria-label="Table of groups">
        <table className="w-full tabular-nums">
          <thead className="bg-sunken sticky top-0 z-10">
            <tr className="text-muted text-xs">
              {GROUP_SORTS.map((by) => {
                const sorted = sort?.by !== by ? 'none' : sort.ascending ? 'ascending' : 'descending'
                return (
                  <th
                    key={by}
                    scope="col"
                    aria-sort={sorted}
                    className={`font-medium ${by === 'key' ? 'px-3 py-1 text-left' : CELL}`}
                  >
                    <SortButton label={labels[by]} sorted={sorted} onSort={() => sortBy(by)} />
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} className={`border-t ${chosen === row.key ? 'bg-selected' : 'hover:bg-hover'}`}>
                <th scope="row" className="w-full max-w-0 min-w-40 px-3 py-1 text-left font-normal">
                  <GroupName {...{ row, shown, isGrouped, labelOf, leftOut, chosen, onChoose }} onToggle={toggle} />
                </th>
                <td className={CELL}>{formatCompact(row.count)}</td>
                <td className={`${CELL} font-medium`}>{row.value === null ? '–' : statistic.format(row.value)}</td>
                <td className={CELL}>{row.change === null ? '–' : formatChange(row.change, statistic)}</td>
                <td className={CELL}>{row.share === null ? '–' : formatShare(row.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isGrouped && (
        <p className="text-muted flex flex-wrap items-center pt-1 text-xs">
          <span className="mr-auto pr-3">
            {shown.length} of {formatCount(columns.groups.length)} groups drawn, at most {LINES_MAX}. Change is against
            the period before.
          </span>
          <Button variant="ghost" className="h-7!" onClick={() => onShow(undefined)}>
            Draw the first {Math.min(LINES_SHOWN, columns.groups.length)}
          </Button>
          <OfScreen value>
            <IconButton icon={Download} label="Export the groups as CSV" onClick={save} />
          </OfScreen>
        </p>
      )}
    </section>
  )
}

const otherLabel = (leftOut: number) => `Other (${formatCount(leftOut)} groups)`

interface GroupNameProps extends Pick<
  GroupTableProps,
  'shown' | 'isGrouped' | 'labelOf' | 'leftOut' | 'chosen' | 'onChoose'
> {
  readonly row: GroupRow
  onToggle(key: string): void
}

/** A box that draws the group, and its name, which lists its rows below. */
function GroupName({ row, shown, isGrouped, labelOf, leftOut, chosen, onChoose, onToggle }: GroupNameProps) {
  const { key, rank } = row
  if (!isGrouped) return 'All'
  if (rank === null) return otherLabel(leftOut)
  const isShown = shown.includes(key)
  const name = labelOf(key)
  return (
    <span className="flex items-center gap-2">
      <input
        type="checkbox"
        aria-label={`Draw ${name}`.slice(0, 200)}
        className="size-6 shrink-0 scale-60"
        checked={isShown}
        disabled={isShown ? shown.length === 1 : shown.length >= LINES_MAX}
        onChange={() => onToggle(key)}
      />
      {isShown ? <LineSwatch {...lineStyle(rank % LINES_MAX)} /> : <span className="w-3.5 shrink-0" />}
      <button
        type="button"
        aria-pressed={chosen === key}
        title={`${name}: list its rows`.slice(0, 1000)}
        onClick={() => onChoose(chosen === key ? undefined : key)}
        className="hover:text-accent min-h-6 min-w-0 truncate text-left"
      >
        <bdi>{name.slice(0, 300)}</bdi>
      </button>
    </span>
  )
}

/** "+12%" of a number, "+1.5 pp" of a share. */
function formatChange(change: number, { scale }: Statistic): string {
  const sign = change > 0 ? '+' : change < 0 ? '−' : '±'
  const size = formatShare(Math.abs(change))
  return `${sign}${scale === 'share' ? size.replace('%', ' pp') : size}`
}
