import type { Project, SpanFilter } from '@spoor/contract/schemas/project'
import { useQuery } from '@tanstack/react-query'
import { changeProject, projectsQuery } from '../api/projects.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { ErrorText } from '../ui/error-text.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Loading } from '../ui/states.tsx'
import { useSilentAction } from '../ui/use-action.ts'
import { Section } from './section.tsx'

const FILTERS: Readonly<Record<SpanFilter, string>> = {
  keep: 'All spans',
  agents_only: 'Spans about agents and models, and their ancestors',
}

export function OpenTelemetry() {
  const { project_id: projectId, project_name: name } = useSession()
  const query = useQuery(projectsQuery)
  const project = query.data?.find(({ id }) => id === projectId)
  return (
    <Section title="OpenTelemetry" text={`Which spans ${name} stores. A change applies to spans that come after it.`}>
      {project === undefined ? <Loading query={query} rows={1} /> : <FilterField project={project} />}
    </Section>
  )
}

function FilterField({ project }: { project: Project }) {
  const mayChange = useMay('manage', 'admin')
  const change = useSilentAction((filter: SpanFilter) => changeProject(project.id, { span_filter: filter }), {
    refresh: [projectsQuery.queryKey],
    said: 'Setting saved',
  })
  return (
    <div className="max-w-md space-y-2 border-t p-4">
      <Field
        label="Spans to store"
        hint={
          mayChange ? 'Spans that are not stored are counted in the metrics of the service.' : 'Needs the scope manage.'
        }
      >
        <Select
          disabled={!mayChange || change.isPending}
          value={change.isPending ? change.variables : project.span_filter}
          onChoice={change.mutate}
          options={FILTERS}
        />
      </Field>
      <ErrorText error={change.error} />
    </div>
  )
}
