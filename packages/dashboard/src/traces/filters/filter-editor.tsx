import { TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useState } from 'react'
import { boundedMeasure, boundHint } from './bound-values.ts'
import type { FeedFilter } from './feed-filters.ts'
import { FILTER_FIELDS, type FilterField } from './search.ts'
import { SuggestBox, type Suggestion } from './suggest-box.tsx'
import { type FacetOf, useSuggestions } from './use-suggestions.ts'

const METADATA = 'metadata'
const FIELDS: readonly Suggestion[] = [
  ...FILTER_FIELDS.map((field) => ({ value: field, label: TRACE_FILTERS[field].label })),
  { value: METADATA, label: 'Metadata' },
]
const ANY: Suggestion = { value: '', label: 'Any value' }
const CHOSEN_FROM_LIST: ReadonlySet<FilterField> = new Set(
  FILTER_FIELDS.filter((field) => TRACE_FILTERS[field].type !== 'text'),
)

interface FilterEditorProps {
  /** The field of the filter, if already chosen. */
  readonly start?: FacetOf
  /** Values that the filter has already. */
  readonly chosen?: readonly string[]
  onFilter(filter: FeedFilter): void
}

/** Chooses a field, then its value. */
export function FilterEditor({ start, chosen = [], onFilter }: FilterEditorProps) {
  const [of, setOf] = useState<FacetOf | null>(start ?? null)
  const [text, setText] = useState('')
  const go = (next: FacetOf | null) => {
    setOf(next)
    setText('')
  }
  if (of === null) {
    return (
      <SuggestBox
        key="fields"
        label="Filter by"
        text={text}
        onText={setText}
        suggestions={FIELDS.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))}
        free={false}
        nothing="No such field"
        onChoose={({ value }) =>
          go(value === METADATA ? { kind: 'keys' } : { kind: 'field', field: value as FilterField })
        }
      />
    )
  }
  return <ValueStep key={JSON.stringify(of)} {...{ of, text, chosen, onFilter }} onText={setText} onGo={go} />
}

interface ValueStepProps extends Required<Omit<FilterEditorProps, 'start'>> {
  readonly of: FacetOf
  readonly text: string
  onText(text: string): void
  onGo(next: FacetOf | null): void
}

function ValueStep({ of, text, chosen, onText, onGo, onFilter }: ValueStepProps) {
  const found = useSuggestions(of, text)
  const suggestions = text === '' ? withChosen(found, chosen) : found
  const choose = (suggestion: Suggestion) => {
    const { value } = suggestion
    if (of.kind === 'keys') onGo({ kind: 'values', key: value })
    else if (of.kind === 'field') onFilter({ kind: 'field', field: of.field, value })
    else onFilter({ kind: 'metadata', key: of.key, value: suggestion === ANY ? null : value })
  }
  return (
    <SuggestBox
      label={labelOf(of)}
      text={text}
      onText={onText}
      suggestions={of.kind === 'values' && text === '' ? [ANY, ...suggestions] : suggestions}
      free={of.kind !== 'field' || !CHOSEN_FROM_LIST.has(of.field)}
      nothing={nothingFor(of)}
      onChoose={choose}
      onBack={() => onGo(of.kind === 'values' ? { kind: 'keys' } : null)}
    />
  )
}

/** The chosen values come first, and can be removed. */
function withChosen(found: readonly Suggestion[], chosen: readonly string[]): readonly Suggestion[] {
  return [
    ...chosen.map((value) => ({ value, label: `✓ ${value}`, detail: 'remove' })),
    ...found.filter(({ value }) => !chosen.includes(value)),
  ]
}

function nothingFor(of: FacetOf): string {
  if (of.kind !== 'field' || !CHOSEN_FROM_LIST.has(of.field)) return 'Type the exact value.'
  if (boundedMeasure(of.field) !== null) return boundHint(of.field)
  return TRACE_FILTERS[of.field].type === 'value' ? 'Type a number, such as 0.5.' : 'No values'
}

function labelOf(of: FacetOf): string {
  if (of.kind === 'field') return TRACE_FILTERS[of.field].label
  return of.kind === 'keys' ? 'Metadata key' : `Value of ${of.key.slice(0, 60)}`
}
