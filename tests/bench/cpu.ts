/**
 * CPU time of processes, from Linux's /proc. Other systems have no such files, and the figures stay empty.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts a process's time in hundredths of a second, on every architecture that we know. */
const microsecondsPerTick = 10_000;

interface Stat {
  parent: number;
  /** CPU microseconds of the process, and of its children that have ended. */
  own: number;
  ended: number;
}

/** proc_pid_stat(5): the fields after the name, which may itself hold spaces and brackets. */
function statOf(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ticks = (first: number) =>
      (Number(fields[first]) + Number(fields[first + 1])) * microsecondsPerTick;
    return { parent: Number(fields[1]), own: ticks(11), ended: ticks(13) };
  } catch {
    return undefined;
  }
}

/** CPU microseconds of one process. */
export const cpuOf = (pid: number | undefined): number | undefined => pid && statOf(pid)?.own;

/**
 * CPU microseconds of a process with all its children, also the ended ones: of PostgreSQL, a connection each.
 */
export function cpuOfFamily(pid: number): number | undefined {
  const head = statOf(pid);
  if (!head) return undefined;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .reduce((sum, stat) => sum + (stat?.parent === pid ? stat.own : 0), head.own + head.ended);
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number | undefined): number {
  const kilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

/** CPU milliseconds of a process's threads so far: the first field of each schedstat is nanoseconds. */
export function threadsCpuMs(pid: number | undefined): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    try {
      return sum + Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    } catch {
      return sum; // the thread has ended
    }
  }, 0);
}

/**
 * CPU milliseconds so far of the connections to a database of this machine, on every node of a cluster: the
 * title of a process names it.
 */
export const connectionsCpuMs = (database: string): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      try {
        const isConnection = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(` ${database} `);
        return isConnection ? sum + threadsCpuMs(Number(pid)) : sum;
      } catch {
        return sum; // the process has ended
      }
    }, 0);
