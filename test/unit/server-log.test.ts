import { expect } from 'chai';
import { summaryOf } from '../../scripts/embedded/server-log.ts';

describe('the output of a server in one line', () => {
  it('begins with the cause of its end, not with an answer to a client that asked too early', () => {
    const log = [
      'LOG:  database system was shut down',
      'FATAL:  the database system is starting up',
      'PANIC:  could not locate a valid checkpoint record',
      'LOG:  startup process was terminated by signal 6',
    ];
    expect(summaryOf(log.join('\n'))).to.equal(`${log[2]} / ${log[3]}`);
  });

  it('is its last lines where none is a cause', () => {
    expect(summaryOf('1\n2\n3\n4\n5\n')).to.equal('2 / 3 / 4 / 5');
    expect(summaryOf('')).to.equal('(empty)');
  });
});
