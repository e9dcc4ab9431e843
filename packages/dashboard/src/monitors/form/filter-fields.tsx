import { filterType, takesMany, TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { metadataKeysQuery } from '../../api/trace-facets.ts'
import { SOURCE_LABELS } from '../../lib/metric-sources.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, Input, Select, Fieldset } from '../../ui/field.tsx'
import { useFieldError } from '../../ui/form.tsx'
import { type FilterName, FILTERS_OF, type MetadataRow, type DraftFieldsProps } from './monitor-draft.ts'

const OWN_LABELS: Partial<Readonly<Record<FilterName, string>>> = { source: 'Source', name: 'Trace name' }

function labelOf(name: FilterName): string {
  return OWN_LABELS[name] ?? (name === 'source' ? name : TRACE_FILTERS[name].label)
}

/** Filters with labels of their own. */
const CHOICES: Partial<Readonly<Record<FilterName, readonly (readonly [string, string])[]>>> = {
  source: Object.entries(SOURCE_LABELS),
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

function placeholderOf(name: FilterName): string {
  if (name === 'source' || !takesMany(name)) return 'any'
  return filterType(name) === 'texts' ? 'any, or {"city": "Bern"}' : 'any, or ["a", "b"]'
}

/** Filters of the evaluated events or traces; collapsed if there are none. */
export function FilterFields({ draft, set }: DraftFieldsProps) {
  const names = FILTERS_OF[draft.kind]
  const count = names.filter((name) => draft.filters[name] !== '').length + draft.metadata.length
  const [isOpen, setIsOpen] = useState(count > 0)
  const hasError = useFieldError('/filters') !== undefined
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
          const value = draft.filters[name]
          const change = (text: string) => set({ filters: { ...draft.filters, [name]: text } })
          return (
            <Field key={name} label={labelOf(name)} at={`/filters/${name}`}>
              {choices === undefined ? (
                <Input value={value} onText={change} placeholder={placeholderOf(name)} />
              ) : (
                <Select value={value} onChoice={change} options={[['', 'Any'], ...choices]} />
              )}
            </Field>
          )
        })}
        <MetadataRows rows={draft.metadata} onChange={(metadata) => set({ metadata })} />
      </div>
    </details>
  )
}

interface MetadataRowsProps {
  readonly rows: readonly MetadataRow[]
  onChange(rows: readonly MetadataRow[]): void
}

function MetadataRows({ rows, onChange }: MetadataRowsProps) {
  const listId = useId()
  const { data: keys = [] } = useQuery({ ...metadataKeysQuery, enabled: rows.length > 0 })
  const set = (id: number, change: Partial<MetadataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)))
  return (
    <Fieldset legend="Metadata" at="/filters/metadata" className="col-span-2">
      {rows.map(({ id, key, value }, index) => (
        <div key={id} className="flex items-center gap-1">
          <Input
            aria-label={`Key ${index + 1}`}
            placeholder="key"
            list={listId}
            value={key}
            onText={(text) => set(id, { key: text })}
          />
          <Input
            aria-label={`Value ${index + 1}`}
            placeholder="any value"
            value={value}
            onText={(text) => set(id, { value: text })}
          />
          <IconButton
            icon={Trash2}
            label={`Remove key ${index + 1}`}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
            className="shrink-0"
          />
        </div>
      ))}
      <datalist id={listId}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <Button
        icon={Plus}
        onClick={() => onChange([...rows, { id: 1 + Math.max(-1, ...rows.map(({ id }) => id)), key: '', value: '' }])}
      >
        Add a key
      </Button>
    </Fieldset>
  )
}
