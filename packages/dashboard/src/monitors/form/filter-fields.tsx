import { filterType, takesMany, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { metadataKeysQuery } from '../../api/metadata-keys.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { type FilterName, FILTERS_OF, type MetadataRow } from './monitor-draft.ts'
import type { DraftFieldsProps } from './draft-fields.ts'

const OWN_LABELS: Partial<Readonly<Record<FilterName, string>>> = { source: 'Source', name: 'Trace name' }

function labelOf(name: FilterName): string {
  return OWN_LABELS[name] ?? (name === 'source' ? name : TRACE_FILTERS[name].label)
}

/** Filters with labels of their own. */
const CHOICES: Partial<Readonly<Record<FilterName, readonly (readonly [string, string])[]>>> = {
  source: [
    ['human', 'Human'],
    ['code', 'Code'],
    ['llm', 'LLM'],
  ],
  status: [
    ['ok', 'ok'],
    ['error', 'failed'],
  ],
}

const YES_OR_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

function choicesOf(name: FilterName): readonly (readonly [string, string])[] | undefined {
  const known = CHOICES[name]
  if (known !== undefined || name === 'source') return known
  const filter = TRACE_FILTERS[name]
  if (filterType(name) === 'boolean') return YES_OR_NO
  return filter.type === 'choice' ? filter.choices.map((choice) => [choice, choice]) : undefined
}

/** Filters of the evaluated events or traces; collapsed if there are none. */
export function FilterFields({ draft, set, errorOf }: DraftFieldsProps) {
  const names = FILTERS_OF[draft.kind]
  const count = names.filter((name) => draft.filters[name] !== '').length + draft.metadata.length
  const [isOpen, setIsOpen] = useState(count > 0)
  const hasError = errorOf('/filters') !== undefined
  return (
    <details
      open={isOpen || hasError}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="rounded-lg border"
    >
      <summary className="px-3 py-2 text-sm font-medium">
        Filters {count > 0 && <span className="text-muted">({count})</span>}
      </summary>
      <div className="grid grid-cols-2 gap-3 border-t p-3">
        {names.map((name) => {
          const choices = choicesOf(name)
          const control = {
            value: draft.filters[name],
            onChange: ({ target }: { target: { value: string } }) =>
              set({ filters: { ...draft.filters, [name]: target.value } }),
          }
          return (
            <Field key={name} label={labelOf(name)} error={errorOf(`/filters/${name}`)}>
              {(props) =>
                choices === undefined ? (
                  <Input
                    {...props}
                    {...control}
                    placeholder={name !== 'source' && takesMany(name) ? 'any, or ["a", "b"]' : 'any'}
                  />
                ) : (
                  <Select {...props} {...control}>
                    <option value="">Any</option>
                    {choices.map(([value, label]) => (
                      <option key={value} value={value}>
                        {label}
                      </option>
                    ))}
                  </Select>
                )
              }
            </Field>
          )
        })}
        <MetadataRows
          rows={draft.metadata}
          error={errorOf('/filters/metadata')}
          onChange={(metadata) => set({ metadata })}
        />
      </div>
    </details>
  )
}

interface MetadataRowsProps {
  readonly rows: readonly MetadataRow[]
  readonly error: string | undefined
  onChange(rows: readonly MetadataRow[]): void
}

function MetadataRows({ rows, error, onChange }: MetadataRowsProps) {
  const listId = useId()
  const { data: keys = [] } = useQuery({ ...metadataKeysQuery, enabled: rows.length > 0 })
  const set = (id: number, change: Partial<MetadataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)))
  return (
    <fieldset className="col-span-2 space-y-2">
      <legend className="text-sm font-medium">Metadata</legend>
      {rows.map(({ id, key, value }, index) => (
        <div key={id} className="flex items-center gap-1">
          <Input
            aria-label={`Key ${index + 1}`}
            placeholder="key"
            list={listId}
            value={key}
            onChange={({ target }) => set(id, { key: target.value })}
          />
          <Input
            aria-label={`Value ${index + 1}`}
            placeholder="any value"
            value={value}
            onChange={({ target }) => set(id, { value: target.value })}
          />
          <Button
            variant="ghost"
            icon
            aria-label={`Remove key ${index + 1}`}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
            className="shrink-0"
          >
            <Trash2 className="size-4" aria-hidden />
          </Button>
        </div>
      ))}
      <datalist id={listId}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {error !== undefined && (
        <p role="alert" className="text-fail text-sm break-words">
          {error}
        </p>
      )}
      <Button
        onClick={() => onChange([...rows, { id: 1 + Math.max(-1, ...rows.map(({ id }) => id)), key: '', value: '' }])}
      >
        <Plus className="size-4" aria-hidden /> Add a key
      </Button>
    </fieldset>
  )
}
