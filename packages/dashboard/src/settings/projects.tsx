import type { Project } from '@spoor/contract/schemas/project'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { projectsQuery, createProject } from '../api/projects.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TableHead } from '../ui/column-heads.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { Time } from '../ui/time.tsx'
import { NewKey } from './new-key.tsx'
import { CELL, ROW, Section, TABLE } from './section.tsx'

export function Projects() {
  const isAdmin = useMay('admin')
  const [making, setMaking] = useState(false)
  const [keyFor, setKeyFor] = useState<Project | null>(null)
  return (
    <Section
      title="Projects"
      text="Each project has its own data. Switch projects in the menu with the project's name."
      actions={
        isAdmin && (
          <Button icon={Plus} variant="primary" onClick={() => setMaking(true)}>
            New project
          </Button>
        )
      }
    >
      {isAdmin ? (
        <ProjectTable onMakeKey={setKeyFor} />
      ) : (
        <EmptyState title="Projects need the scope admin">
          Sign in with an admin key to view and create projects.
        </EmptyState>
      )}
      {making && (
        <TextForm
          title="New project"
          hint="You create its first API key next."
          placeholder="support bot"
          submit="Create project"
          send={createProject}
          onClose={() => setMaking(false)}
          onSuccess={setKeyFor}
          refresh={[projectsQuery.queryKey]}
        />
      )}
      {keyFor !== null && (
        <NewKey projectId={keyFor.id} projectName={keyFor.name} open onOpenChange={() => setKeyFor(null)} />
      )}
    </Section>
  )
}

function ProjectTable({ onMakeKey }: { onMakeKey: (project: Project) => void }) {
  const { project_id } = useSession()
  const query = useQuery(projectsQuery)
  const { data: projects } = query
  if (projects === undefined) return <Loading query={query} rows={4} />
  return (
    <table className={`${TABLE} table-fixed`}>
      <TableHead
        of={[
          'Name',
          ['Id', 'hidden w-80 md:table-cell'],
          ['Created', 'hidden w-32 sm:table-cell'],
          ['Actions', 'w-36', 'hidden'],
        ]}
      />
      <tbody>
        {projects.map((project) => (
          <tr key={project.id} className={ROW}>
            <td className={`${CELL} font-medium break-words`}>
              <bdi>{project.name}</bdi> {project.id === project_id && <Badge tone="info">current</Badge>}
            </td>
            <td className={`${CELL} hidden md:table-cell`}>
              <span className="flex items-center gap-1">
                <span className="truncate font-mono text-xs">{project.id}</span>
                <CopyButton text={project.id} label={`Copy the id of ${project.name}`} />
              </span>
            </td>
            <td className={`${CELL} text-muted hidden sm:table-cell`}>
              <Time at={project.created_at} />
            </td>
            <td className={`${CELL} text-right`}>
              <Button icon={KeyRound} onClick={() => onMakeKey(project)}>
                New key
                <span className="sr-only"> for {project.name}</span>
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
