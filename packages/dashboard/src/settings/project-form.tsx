import type { Project } from '@spoor/contract/schemas/project'
import { useState } from 'react'
import { createProject, projectsQuery } from '../api/projects.ts'
import { Field, Input } from '../ui/field.tsx'
import { FormEnd } from '../ui/form.tsx'
import { FormModal } from '../ui/form-modal.tsx'

export function ProjectForm({ onClose, onCreated }: { onClose: () => void; onCreated: (project: Project) => void }) {
  const [name, setName] = useState('')
  return (
    <FormModal
      title="New project"
      send={() => createProject(name.trim())}
      onClose={onClose}
      onSuccess={onCreated}
      refresh={[projectsQuery.queryKey]}
    >
      <Field label="Name" at="/name" hint="You create its first API key next.">
        <Input autoFocus autoComplete="off" placeholder="support bot" value={name} onText={setName} />
      </Field>
      <FormEnd submit="Create project" onCancel={onClose} />
    </FormModal>
  )
}
