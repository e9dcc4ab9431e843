import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type SubmitEvent, useId, useState } from 'react'
import { metricsQuery } from '../api/metrics.ts'
import { automaticBucket } from '../api/series.ts'
import { metadataKeysQuery } from '../api/trace-facets.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import { boundsOf } from '../lib/time-range.ts'
import { Field, Input, Select } from '../ui/field.tsx'
import { METADATA_GROUP, groupFields } from '../explore/groups.ts'
import type { ChangeChart } from './search.ts'
import type { Statistic } from './statistics.ts'
import type { ViewedSeries } from './use-series-models.ts'

const BUCKETS = ['1m', '5m', '15m', '1h', '6h', '1d', '1w']
/** More are slow to draw and thinner than a pixel. */
const BUCKETS_MAX = 2000

interface SeriesToolbarProps {
  readonly viewed: ViewedSeries
  readonly statistic: Statistic
  /** The number of drawn lines. */
  readonly lines: number
  readonly onSearch: ChangeChart
  readonly tools: ReactNode
}

export function SeriesToolbar({ viewed, statistic, lines, onSearch, tools }: SeriesToolbarProps) {
  const { measure, search, range } = viewed
  const { statistics, rows } = measure
  const { group_by: first, draw, before } = search
  const usual = statistic.kind
  const { from, to } = boundsOf(range, Date.now())
  const spanMs = (to ?? Date.now()) - (from ?? 0)
  const buckets = search.bucket === undefined || BUCKETS.includes(search.bucket) ? BUCKETS : [search.bucket, ...BUCKETS]
  const isStacked = lines > 1
  const isGrouped = first !== undefined || measure.groupBy !== undefined
  return (
    <div className="bg-sunken flex flex-wrap items-end gap-x-4 gap-y-2 border-b px-4 py-2">
      {tools}
      {statistics.length > 1 && (
        <Field small label="Statistic">
          <Select
            value={statistic.id}
            onChoice={(stat) => onSearch({ stat }, true)}
            options={statistics.map(({ id, label }) => [id, label])}
          />
        </Field>
      )}
      <Groups {...{ viewed, onSearch }} />
      {isGrouped && (
        <Field small label="First groups">
          <Select
            value={search.rank ?? 'value'}
            onChoice={(rank) => onSearch({ rank: rank === 'value' ? undefined : rank, show: undefined }, true)}
            options={{ value: 'Greatest value', count: `Most ${rows}`, change: 'Greatest change' }}
          />
        </Field>
      )}
      <Field small label="Bucket">
        <Select
          value={search.bucket ?? ''}
          onChoice={(bucket) => onSearch({ bucket: bucket || undefined, at: undefined }, true)}
          options={[
            ['', `Automatic (${automaticBucket(range)})`],
            ...buckets.map((bucket) => [bucket, bucket, spanMs / bucketMsOf(bucket) > BUCKETS_MAX] as const),
          ]}
        />
      </Field>
      <Field small label="Draw">
        <Select
          value={draw ?? usual}
          onChoice={(chosen) => onSearch({ draw: chosen === usual ? undefined : chosen }, true)}
          options={[
            ['lines', 'Lines'],
            ['bars', isStacked ? 'Stacked bars' : 'Bars', isStacked && usual === 'lines'],
            ['groups', 'Table only', !isGrouped],
          ]}
        />
      </Field>
      <Check
        label="Period before"
        checked={before === true}
        onCheck={(on) => onSearch({ before: on || undefined }, true)}
      />
      <Check
        label="Log axis"
        checked={search.log === true}
        onCheck={(on) => onSearch({ log: on || undefined, ...(on ? { draw: 'lines' } : {}) }, true)}
      />
    </div>
  )
}

/** One field, and then a second. */
function Groups({ viewed, onSearch }: Pick<SeriesToolbarProps, 'viewed' | 'onSearch'>) {
  const { data: metrics = [] } = useQuery(metricsQuery)
  const { measure, search } = viewed
  const { group_by: first, then_by: second } = search
  const fields = groupFields(measure.rows, metrics)
  const without = (taken: string | undefined) => fields.filter(({ value }) => value !== taken)
  const anew = { show: undefined, group: undefined }
  return (
    <>
      <GroupBySelect
        key={measure.rows}
        label="Group by"
        fields={without(measure.groupBy)}
        value={first}
        onChange={(group_by) =>
          onSearch(
            { group_by, ...(group_by === undefined || group_by === second ? { then_by: undefined } : {}), ...anew },
            false,
          )
        }
      />
      {first !== undefined && measure.groupBy === undefined && (
        <GroupBySelect
          key={`${measure.rows} ${first}`}
          label="Then by"
          fields={without(first)}
          value={second}
          onChange={(then_by) => onSearch({ then_by, ...anew }, false)}
        />
      )}
    </>
  )
}

function Check({ label, checked, onCheck }: { label: string; checked: boolean; onCheck(on: boolean): void }) {
  return (
    <label className="flex h-8 items-center gap-1.5 text-sm">
      <input type="checkbox" checked={checked} onChange={({ target }) => onCheck(target.checked)} />
      {label}
    </label>
  )
}

interface GroupBySelectProps {
  readonly fields: readonly { readonly value: string; readonly label: string }[]
  readonly label: string
  /** As in the API; undefined: no grouping. */
  readonly value: string | undefined
  onChange(value: string | undefined): void
}

function GroupBySelect({ fields, label, value, onChange }: GroupBySelectProps) {
  const key = value?.startsWith(METADATA_GROUP) === true ? value.slice(METADATA_GROUP.length) : null
  const [isMetadata, setIsMetadata] = useState(key !== null)
  const listId = useId()
  const { data: keys = [] } = useQuery({ ...metadataKeysQuery, enabled: isMetadata })
  const take = (text: string) => {
    if (text !== '' && text !== key) onChange(METADATA_GROUP + text)
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    take(String(new FormData(event.currentTarget).get('key') ?? ''))
  }
  return (
    <>
      <Field small label={label}>
        <Select
          value={isMetadata ? METADATA_GROUP : (value ?? '')}
          onChoice={(group) => {
            setIsMetadata(group === METADATA_GROUP)
            onChange(group === METADATA_GROUP ? undefined : group || undefined)
          }}
          options={[
            ['', 'None'],
            ...fields.map((field) => [field.value, field.label] as const),
            [METADATA_GROUP, 'Metadata …'],
          ]}
        />
      </Field>
      {isMetadata && (
        <form onSubmit={submit}>
          <Field small label={`Metadata key, ${label.toLowerCase()}`}>
            <Input
              name="key"
              list={listId}
              key={key}
              defaultValue={key ?? ''}
              autoFocus={key === null}
              placeholder="key, then Enter"
              onBlur={({ target }) => take(target.value)}
            />
          </Field>
          <datalist id={listId}>
            {keys.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </form>
      )}
    </>
  )
}
