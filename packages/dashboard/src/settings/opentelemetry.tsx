import type { Project, SpanFilter } from '@spoor/contract/schemas/project'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { asApiError } from '../api/client/api-error.ts'
import { changeProject, projectsQuery } from '../api/projects.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Field, Select } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { useToast } from '../ui/toasts.tsx'
import { Section } from './section.tsx'

const FILTERS: Readonly<Record<SpanFilter, string>> = {
  keep: 'All spans',
  agents_only: 'Spans about agents and models, and their ancestors',
}

/** What the project takes of OpenTelemetry. */
export function OpenTelemetry() {
  const { project_id: projectId, project_name: name } = useSession()
  const { data: projects, error, refetch } = useQuery(projectsQuery)
  const project = projects?.find(({ id }) => id === projectId)
  return (
    <Section title="OpenTelemetry" text={`Which spans ${name} stores. A change applies to spans that come after it.`}>
      {project !== undefined ? (
        <FilterField project={project} />
      ) : error === null ? (
        <SkeletonRows rows={1} />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </Section>
  )
}

function FilterField({ project }: { project: Project }) {
  const mayChange = useMay('manage', 'admin')
  const queryClient = useQueryClient()
  const toast = useToast()
  const change = useMutation({
    mutationFn: (filter: SpanFilter) => changeProject(project.id, { span_filter: filter }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      toast({ kind: 'ok', text: 'Setting saved' })
    },
  })
  const problem = change.error === null ? null : asApiError(change.error)
  return (
    <div className="max-w-md space-y-2 border-t p-4">
      <Field
        label="Spans to store"
        hint={
          mayChange ? 'Spans that are not stored are counted in the metrics of the service.' : 'Needs the scope manage.'
        }
      >
        {(props) => (
          <Select
            {...props}
            disabled={!mayChange || change.isPending}
            value={change.isPending ? change.variables : project.span_filter}
            onChange={(event) => change.mutate(event.target.value as SpanFilter)}
          >
            {Object.entries(FILTERS).map(([filter, label]) => (
              <option key={filter} value={filter}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <FormError problem={problem} fields={[]} />
    </div>
  )
}
