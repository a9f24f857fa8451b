% SPDX-License-Identifier: BSD-3-Clause
% An Octave program: qr, chol and eig of matrices of orders 8 to 100. Prints a checksum.
rand("seed", 1);
orders = [8, 16, 32, 64, 100];
times = [9000, 4500, 1500, 300, 90];
total = 0;
for i = 1:numel(orders)
  n = orders(i);
  a = rand(n) + 2 * n * eye(n);
  symmetric = a + a';
  for k = 1:times(i)
    [q, r] = qr(a);
    total += sum(abs(diag(r))) + sum(diag(chol(symmetric))) + sum(eig(symmetric));
  end
end
printf("%.6g\n", total);
