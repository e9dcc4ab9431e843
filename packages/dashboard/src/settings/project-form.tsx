import type { Project } from '@spoor/contract/schemas/project'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { createProject, projectsQuery } from '../api/projects.ts'
import { Button } from '../ui/button.tsx'
import { Field, Input } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'

export function ProjectForm({ onCreated, onCancel }: { onCreated: (project: Project) => void; onCancel: () => void }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => createProject(name.trim()),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey }),
  })
  const problem = make.error === null ? null : asApiError(make.error)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    make.mutate(undefined, { onSuccess: onCreated })
  }
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <Field label="Name" hint="You create its first API key next." error={problem?.of('/name')}>
        {(props) => (
          <Input
            {...props}
            autoFocus
            autoComplete="off"
            placeholder="support bot"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <FormError problem={problem} fields={['/name']} />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" disabled={make.isPending}>
          Create project
        </Button>
      </div>
    </form>
  )
}
