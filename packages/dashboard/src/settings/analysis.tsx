import type { Project } from '@spoor/contract/schemas/project'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changeProject, projectsQuery } from '../api/projects.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Field, Input } from '../ui/field.tsx'
import { Form, FormEnd } from '../ui/form.tsx'
import { Loading } from '../ui/states.tsx'
import { Section } from './section.tsx'

/** Where runs say what they are, for comparisons and clusters. */
export function Analysis() {
  const { project_id: projectId, project_name: name } = useSession()
  const query = useQuery(projectsQuery)
  const project = query.data?.find(({ id }) => id === projectId)
  return (
    <Section title="Analysis" text={`Where the traces of ${name} say what ran, on which task, and what was requested.`}>
      {project === undefined ? <Loading query={query} rows={2} /> : <KeysForm project={project} />}
    </Section>
  )
}

function KeysForm({ project: { id, ...saved } }: { readonly project: Project }) {
  const mayChange = useMay('manage', 'admin')
  const [versionKey, setVersionKey] = useState(saved.version_key)
  const [taskKey, setTaskKey] = useState(saved.task_key)
  const [inputPath, setInputPath] = useState(saved.input_path ?? '')
  const changed = { version_key: versionKey, task_key: taskKey, input_path: inputPath === '' ? null : inputPath }
  const isSaved =
    versionKey === saved.version_key && taskKey === saved.task_key && changed.input_path === saved.input_path
  return (
    <Form
      send={() => changeProject(id, changed)}
      refresh={[projectsQuery.queryKey, ['versions'], ['divergence']]}
      said="Settings saved"
      className="max-w-md space-y-4 border-t p-4"
    >
      <Field label="Version key" at="/version_key" hint="Each version is compared with the one before it.">
        <Input disabled={!mayChange} value={versionKey} onText={setVersionKey} />
      </Field>
      <Field label="Task key" at="/task_key" hint="A failed run is compared with successes of its task.">
        <Input disabled={!mayChange} value={taskKey} onText={setTaskKey} />
      </Field>
      <Field
        label="Path to the request"
        at="/input_path"
        hint="Clusters group by it: metadata.question, or $.question in messages that are JSON. Empty: whole messages."
      >
        <Input disabled={!mayChange} value={inputPath} onText={setInputPath} />
      </Field>
      <FormEnd submit="Save" disabled={!mayChange || isSaved} />
    </Form>
  )
}
