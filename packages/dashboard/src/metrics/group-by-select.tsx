import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { metadataKeysQuery } from '../api/trace-facets.ts'
import { Field, Input, Select } from '../ui/field.tsx'
import { METADATA_GROUP } from '../explore/groups.ts'

interface GroupBySelectProps {
  readonly fields: readonly { readonly value: string; readonly label: string }[]
  readonly label: string
  /** As in the API; undefined: no grouping. */
  readonly value: string | undefined
  onChange(value: string | undefined): void
}

export function GroupBySelect({ fields, label, value, onChange }: GroupBySelectProps) {
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
