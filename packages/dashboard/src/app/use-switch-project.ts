import { switchProject } from '../api/client/session.ts'
import { useAction } from '../ui/use-action.ts'

/** Opens another project. The page begins anew, so that nothing of the former project is left in it. */
export function useSwitchProject(): (id: string) => void {
  const { mutate } = useAction(switchProject, {
    onSuccess: (next) => location.assign(`/app/p/${next.project_id}/traces`),
  })
  return mutate
}
