import { RootCommand } from '@bomb.sh/tab'
import { Argument } from 'commander'
import type { Verbs } from '../noun.ts'
import { shell } from '../shell.ts'
import { suggest } from './suggest.ts'

/**
 * Completion of the shell. `completion` prints the script of a shell, which calls the hidden command
 * `complete` with the words typed so far and reads a suggestion a line, its description behind a tab,
 * and at last a number: whether it may propose files as well.
 */
const shells = ['bash', 'zsh', 'fish', 'powershell']
const withFiles = ':0'
const withoutFiles = ':4'

export function addCompletion({ local, command: program }: Verbs): void {
  const completion = local(
    'completion',
    'print the completion script for bash, zsh, fish or PowerShell',
    async (_call, name = '') => new RootCommand().setup('muster', 'muster', name),
  )
  completion.addArgument(new Argument('<shell>', 'your shell').choices(shells))
  completion.addHelpText(
    'after',
    `
Add one line to the settings of your shell:
  ~/.bashrc    source <(muster completion bash)
  ~/.zshrc     source <(muster completion zsh)
  fish         muster completion fish > ~/.config/fish/completions/muster.fish
  $PROFILE     muster completion powershell | Out-String | Invoke-Expression

bash needs the package bash-completion. Ids and names come from the service that
the command itself would use.`,
  )
  const complete = local(
    'complete',
    'suggestions for the words typed so far',
    async (_call, ...[words]: unknown[]) => {
      const { suggestions, mayBeFile } = await suggest(program, words as string[])
      const lines = suggestions.map(({ value, about }) => `${value}\t${about}`)
      shell().stdout.write(`${[...lines, mayBeFile ? withFiles : withoutFiles].join('\n')}\n`)
    },
    () => '',
    { hidden: true },
  )
  complete.argument('[words...]')
}
