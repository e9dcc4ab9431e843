import { TRACE_FILTERS } from '@spoor/contract/trace-filters'
import { useState } from 'react'
import { boundedMeasure, boundHint } from './bound-values.ts'
import { type FeedFilter, filterLabel, filterValueLabel } from './feed-filters.ts'
import { ARGUMENT_FIELDS, FILTER_FIELDS, type FilterField } from './search.ts'
import { SuggestBox, type Suggestion } from './suggest-box.tsx'
import { typedFilters } from './typed-filters.ts'
import { type FacetOf, useSuggestions } from './use-suggestions.ts'

const KEYED = ['metadata', ...ARGUMENT_FIELDS] as const
const METADATA: Suggestion = { value: 'metadata', label: 'Metadata' }
const TYPED = 'typed'
const ANY: Suggestion = { value: '', label: 'Any value' }
const CHOSEN_FROM_LIST: ReadonlySet<FilterField> = new Set(
  FILTER_FIELDS.filter((field) => TRACE_FILTERS[field].type !== 'text'),
)

interface FilterEditorProps {
  /** The field of the filter, if already chosen. */
  readonly start?: FacetOf
  /** To choose from. Default: all. */
  readonly fields?: readonly FilterField[]
  /** Values that the filter has already. */
  readonly chosen?: readonly string[]
  onFilter(...filters: readonly FeedFilter[]): void
}

/** Chooses a field, then its value; or takes both as typed: `tool=search argument.city=Lisbon`. */
export function FilterEditor({ start, fields = FILTER_FIELDS, chosen = [], onFilter }: FilterEditorProps) {
  const [of, setOf] = useState<FacetOf | null>(start ?? null)
  const [text, setText] = useState('')
  const go = (next: FacetOf | null) => {
    setOf(next)
    setText('')
  }
  if (of === null) {
    const typed = typedFilters(text)
    const words = typed?.map((filter) => `${filterLabel(filter)}: ${filterValueLabel(filter)}`).join(', ')
    const named = [...fields, ...ARGUMENT_FIELDS].map((field) => ({ value: field, label: TRACE_FILTERS[field].label }))
    const found = [...named, METADATA].filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    return (
      <SuggestBox
        key="fields"
        label="Filter by"
        text={text}
        onText={setText}
        suggestions={words === undefined ? found : [{ value: TYPED, label: words, detail: 'as typed' }]}
        free={false}
        nothing="No such field. FIELD=VALUE works too, such as tool=search argument.city=Lisbon."
        onChoose={({ value }) => {
          if (typed !== null) return onFilter(...typed)
          const keyed = KEYED.find((each) => each === value)
          go(keyed === undefined ? { kind: 'field', field: value as FilterField } : { kind: 'keys', of: keyed })
        }}
      />
    )
  }
  return <ValueStep key={JSON.stringify(of)} {...{ of, text, chosen, onFilter }} onText={setText} onGo={go} />
}

interface ValueStepProps extends Required<Omit<FilterEditorProps, 'start' | 'fields'>> {
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
    if (of.kind === 'keys') onGo({ kind: 'values', of: of.of, key: value })
    else if (of.kind === 'field') onFilter({ kind: 'field', field: of.field, value })
    else if (of.of !== 'metadata') onFilter({ kind: 'argument', field: of.of, key: of.key, value })
    else onFilter({ kind: 'metadata', key: of.key, value: suggestion === ANY ? null : value })
  }
  return (
    <SuggestBox
      label={labelOf(of)}
      text={text}
      onText={onText}
      suggestions={of.kind === 'values' && of.of === 'metadata' && text === '' ? [ANY, ...suggestions] : suggestions}
      free={of.kind !== 'field' || !CHOSEN_FROM_LIST.has(of.field)}
      nothing={nothingFor(of)}
      onChoose={choose}
      onBack={() => onGo(of.kind === 'values' ? { kind: 'keys', of: of.of } : null)}
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
  if (of.kind === 'keys' && of.of !== 'metadata') return 'Type the name of the argument, such as city or filter.from.'
  if (of.kind !== 'field' || !CHOSEN_FROM_LIST.has(of.field)) return 'Type the exact value.'
  if (boundedMeasure(of.field) !== null) return boundHint(of.field)
  const { type } = TRACE_FILTERS[of.field]
  if (type === 'time') return 'Type a time, such as 2026-01-31 12:00.'
  return type === 'value' ? 'Type a number, such as 0.5.' : 'No values'
}

function labelOf(of: FacetOf): string {
  if (of.kind === 'field') return TRACE_FILTERS[of.field].label
  return of.kind === 'values' ? `Value of ${of.key.slice(0, 60)}` : of.of === 'metadata' ? 'Metadata key' : 'Argument'
}
