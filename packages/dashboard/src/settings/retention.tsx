import type { Project } from '@spoor/contract/schemas/project'
import { useQuery } from '@tanstack/react-query'
import { asApiError } from '../api/client/api-error.ts'
import { changeProject, expiredQuery, projectsQuery } from '../api/projects.ts'
import { formatCount, formatTraces } from '../lib/format-number.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { toNumber } from '../lib/typed-number.ts'
import { ErrorText } from '../ui/error-text.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Loading } from '../ui/states.tsx'
import { Section } from './section.tsx'
import { useEdits } from './use-edits.ts'

type Times = Project['retention']

const FIELDS = [
  { name: 'days', label: 'Traces', at: '/retention/days', hint: 'Traces that are not flagged. Empty: for ever.' },
  { name: 'flagged_days', label: 'Flagged traces', at: '/retention/flagged_days', hint: 'Empty: for ever.' },
  {
    name: 'media_days',
    label: 'Media',
    at: '/retention/media_days',
    hint: 'Also of traces that are kept. Empty: as long as their traces.',
  },
] as const
export function Retention() {
  const { project_id: projectId, project_name: name } = useSession()
  const query = useQuery(projectsQuery)
  const project = query.data?.find(({ id }) => id === projectId)
  return (
    <Section
      title="Retention"
      text={`For how many days ${name} keeps its data. Spoor deletes older data within the hour; series of metrics keep its numbers.`}
    >
      {project === undefined ? <Loading query={query} rows={3} /> : <Times project={project} />}
    </Section>
  )
}

function Times({ project: { id, retention } }: { project: Project }) {
  const mayChange = useMay('manage', 'admin')
  const { edits, change, sending, saved } = useEdits<Record<keyof Times, string>>()
  const changes: Partial<Times> = Object.fromEntries(
    Object.entries(edits).map(([name, text]) => [name, text.trim() === '' ? null : toNumber(text)]),
  )
  return (
    <div className="max-w-2xl border-t p-4">
      <Form
        send={() => {
          sending()
          return changeProject(id, { retention: changes })
        }}
        refresh={[projectsQuery.queryKey]}
        said="Retention saved"
        onDone={saved}
      >
        <div className="grid gap-4 sm:grid-cols-3">
          {FIELDS.map(({ name, label, ...field }) => (
            <Field key={name} label={`${label}, days`} {...field}>
              <Input
                inputMode="numeric"
                autoComplete="off"
                disabled={!mayChange}
                value={edits[name] ?? String(retention[name] ?? '')}
                onText={(text) => change({ [name]: text })}
              />
            </Field>
          ))}
        </div>
        {mayChange ? (
          <Preview projectId={id} times={{ ...retention, ...changes }} />
        ) : (
          <p className="text-muted text-sm">Needs the scope manage.</p>
        )}
        <FormEnd submit="Save" disabled={!mayChange || Object.keys(changes).length === 0} />
      </Form>
    </div>
  )
}

/** What the times in the fields would delete now. */
function Preview({ projectId, times }: { projectId: string; times: Times }) {
  const { data, error, isPending } = useQuery(expiredQuery(projectId, times))
  if (error !== null && asApiError(error).code !== 'validation_failed') return <ErrorText error={error} />
  if (error !== null) return <p className="text-muted text-sm">Days are whole numbers from 1 to 3,650.</p>
  if (isPending) return <p className="text-muted text-sm">Counting…</p>
  const { traces, flagged_traces, attachments } = data
  if (traces + flagged_traces + attachments === 0) {
    return <p className="text-muted text-sm">This would delete nothing now.</p>
  }
  return (
    <p className="text-fail text-sm" role="status">
      This would delete now: {formatTraces(traces)}, {formatTraces(flagged_traces, 'flagged ')}, and{' '}
      {formatCount(attachments)} {attachments === 1 ? 'media file' : 'media files'}. It cannot be undone.
    </p>
  )
}
