import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { metadataKeysQuery } from '../api/metadata-keys.ts'
import { Input, Select } from '../ui/field.tsx'
import { Labelled } from './labelled.tsx'
import { METADATA_GROUP } from './point/trace-group.ts'

interface GroupBySelectProps {
  readonly fields: readonly (readonly [value: string, label: string])[]
  /** As in the API; undefined: no grouping. */
  readonly value: string | undefined
  onChange(value: string | undefined): void
}

/** The grouping of a series: a field, or a typed metadata key. */
export function GroupBySelect({ fields, value, onChange }: GroupBySelectProps) {
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
      <Labelled label="Group by">
        {(id) => (
          <Select
            id={id}
            value={isMetadata ? METADATA_GROUP : (value ?? '')}
            onChange={({ target }) => {
              setIsMetadata(target.value === METADATA_GROUP)
              onChange(target.value === METADATA_GROUP ? undefined : target.value || undefined)
            }}
          >
            <option value="">None</option>
            {fields.map(([field, label]) => (
              <option key={field} value={field}>
                {label}
              </option>
            ))}
            <option value={METADATA_GROUP}>Metadata …</option>
          </Select>
        )}
      </Labelled>
      {isMetadata && (
        <form onSubmit={submit}>
          <Labelled label="Metadata key">
            {(id) => (
              <Input
                id={id}
                name="key"
                list={listId}
                key={key}
                defaultValue={key ?? ''}
                autoFocus={key === null}
                placeholder="key, then Enter"
                onBlur={({ target }) => take(target.value)}
              />
            )}
          </Labelled>
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
