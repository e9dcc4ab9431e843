import { DEFAULT_FAILURE_BY } from '@spoor/contract/failure-measure'
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../../api/client/api-error.ts'
import { metricsQuery } from '../../api/metrics.ts'
import { Field, Input, Select } from '../../ui/field.tsx'

interface FailureFieldProps {
  /** As `failure_by` of the API; incomplete while it is edited. */
  readonly value: string
  onChange(value: string): void
  readonly error: unknown
}

const METRIC = 'metric:'
const METADATA = 'metadata:'

/** Chooses which traces count as failed. The service validates the result. */
export function FailureField({ value, onChange, error }: FailureFieldProps) {
  const { data: metrics = [] } = useQuery(metricsQuery)
  const booleans = metrics.filter(({ kind }) => kind === 'boolean')
  const kind = [METRIC, METADATA].find((prefix) => value.startsWith(prefix)) ?? DEFAULT_FAILURE_BY
  const [key = '', ...rest] = value.slice(METADATA.length).split('=')
  const setPair = (nextKey: string, nextValue: string) => onChange(`${METADATA}${nextKey}=${nextValue}`)
  const problem = error === null || error === undefined ? undefined : asApiError(error).of('/failure_by')
  const keyProblem = problem !== undefined && kind === METADATA && key === '' ? 'Give a key.' : undefined
  const choose = (next: string) => {
    if (next === METRIC) onChange(METRIC + (booleans[0]?.name ?? ''))
    else onChange(next === METADATA ? `${METADATA}=` : next)
  }
  return (
    <div className="space-y-2">
      <Field
        label="Failed traces"
        hint="For error rates and the mark “high”."
        error={keyProblem === undefined ? problem : undefined}
      >
        {(props) => (
          <Select {...props} value={kind} onChange={({ target }) => choose(target.value)}>
            <option value={DEFAULT_FAILURE_BY}>Status is error</option>
            <option value={METRIC} disabled={booleans.length === 0 && kind !== METRIC}>
              A boolean metric did not pass
            </option>
            <option value={METADATA}>Metadata has a value</option>
          </Select>
        )}
      </Field>
      {kind === METRIC && (
        <Field label="Metric" hint="Its latest event of a trace counts. Traces without one are in no error rate.">
          {(props) => (
            <Select
              {...props}
              value={value.slice(METRIC.length)}
              onChange={({ target }) => onChange(METRIC + target.value)}
            >
              {names(value.slice(METRIC.length), booleans).map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {kind === METADATA && (
        <div className="grid grid-cols-2 gap-3">
          <Field label="Metadata key" error={keyProblem}>
            {(props) => (
              <Input
                {...props}
                value={key}
                onChange={({ target }) => setPair(target.value.replaceAll('=', ''), rest.join('='))}
              />
            )}
          </Field>
          <Field label="Value of failed traces">
            {(props) => (
              <Input {...props} value={rest.join('=')} onChange={({ target }) => setPair(key, target.value)} />
            )}
          </Field>
        </div>
      )}
    </div>
  )
}

/** With the chosen one, before the metrics are loaded. */
function names(chosen: string, metrics: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set([...metrics.map(({ name }) => name), ...(chosen === '' ? [] : [chosen])])]
}
