import { DEFAULT_FAILURE_BY } from '@spoor/contract/failure-measure'
import { useQuery } from '@tanstack/react-query'
import { metricsQuery } from '../../api/metrics.ts'
import { Field, Input, Select } from '../../ui/field.tsx'
import { useFieldError } from '../../ui/form.tsx'

interface FailureFieldProps {
  /** As `failure_by` of the API; incomplete while it is edited. */
  readonly value: string
  onChange(value: string): void
  readonly hint?: string
}

const METRIC = 'metric:'
const METADATA = 'metadata:'

/** Chooses which traces count as failed. The service validates the result. */
export function FailureField({ value, onChange, hint }: FailureFieldProps) {
  const { data: metrics = [] } = useQuery(metricsQuery)
  const booleans = metrics.filter(({ kind }) => kind === 'boolean')
  const kind = [METRIC, METADATA].find((prefix) => value.startsWith(prefix)) ?? DEFAULT_FAILURE_BY
  const [key = '', ...rest] = value.slice(METADATA.length).split('=')
  const setPair = (nextKey: string, nextValue: string) => onChange(`${METADATA}${nextKey}=${nextValue}`)
  const problem = useFieldError('/failure_by')
  const keyProblem = problem !== undefined && kind === METADATA && key === '' ? 'Give a key.' : undefined
  const choose = (next: string) => {
    if (next === METRIC) onChange(METRIC + (booleans[0]?.name ?? ''))
    else onChange(next === METADATA ? `${METADATA}=` : next)
  }
  return (
    <div className="space-y-2">
      <Field
        label="Failed traces"
        {...(hint === undefined ? {} : { hint })}
        error={keyProblem === undefined ? problem : undefined}
      >
        <Select
          value={kind}
          onChoice={choose}
          options={[
            [DEFAULT_FAILURE_BY, 'Status is error'],
            [METRIC, 'A boolean metric did not pass', booleans.length === 0 && kind !== METRIC],
            [METADATA, 'Metadata has a value'],
          ]}
        />
      </Field>
      {kind === METRIC && (
        <Field label="Metric" hint="Its latest event of a trace counts. Traces without one are in no error rate.">
          <Select
            value={value.slice(METRIC.length)}
            onChoice={(name) => onChange(METRIC + name)}
            options={names(value.slice(METRIC.length), booleans)}
          />
        </Field>
      )}
      {kind === METADATA && (
        <div className="grid grid-cols-2 gap-3">
          <Field label="Metadata key" error={keyProblem}>
            <Input value={key} onText={(text) => setPair(text.replaceAll('=', ''), rest.join('='))} />
          </Field>
          <Field label="Value of failed traces">
            <Input value={rest.join('=')} onText={(text) => setPair(key, text)} />
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
