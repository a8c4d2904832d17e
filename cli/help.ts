import { Help, type Command } from 'commander'
import { shell } from './shell.ts'

/**
 * Help that fits 80 columns, or a narrower terminal: a long term has its description on the lines
 * below it, so that descriptions have room whatever the longest term is.
 */
const maxWidth = 80
const maxTermWidth = 26
const indent = '  '

export class FittedHelp extends Help {
  // Lines are wrapped at any width.
  override minWidthToWrap = 1

  override padWidth(command: Command, helper: Help): number {
    const most = Math.min(maxTermWidth, Math.floor((this.helpWidth ?? maxWidth) / 3))
    return Math.min(super.padWidth(command, helper), most)
  }

  override formatItem(term: string, termWidth: number, about: string, helper: Help): string {
    if (about === '') return indent + term
    const column = termWidth + 2 * indent.length
    const text = helper
      .boxWrap(about, (this.helpWidth ?? maxWidth) - column)
      .replaceAll('\n', `\n${' '.repeat(column)}`)
    const isShort = helper.displayWidth(term) <= termWidth
    const gap = isShort
      ? ' '.repeat(column - indent.length - helper.displayWidth(term))
      : `\n${' '.repeat(column)}`
    return indent + term + gap + text
  }
}

/** Widths for the help on a stream. */
export function helpWidthOf(name: 'stdout' | 'stderr'): number {
  const { isTTY, columns } = shell()[name]
  return isTTY && columns > 0 ? Math.min(maxWidth, columns) : maxWidth
}
