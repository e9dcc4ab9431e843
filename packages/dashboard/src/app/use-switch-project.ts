import { useMutation } from '@tanstack/react-query'
import { asApiError } from '../api/client/api-error.ts'
import { switchProject } from '../api/client/session.ts'
import { useToast } from '../ui/toasts.tsx'

/** Opens another project. The page begins anew, so that nothing of the former project is left in it. */
export function useSwitchProject(): (id: string) => void {
  const toast = useToast()
  const { mutate } = useMutation({
    mutationFn: switchProject,
    onSuccess: (next) => location.assign(`/app/p/${next.project_id}/traces`),
    onError: (error) => toast({ kind: 'fail', text: asApiError(error).message }),
  })
  return mutate
}
