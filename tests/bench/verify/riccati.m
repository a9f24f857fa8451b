% SPDX-License-Identifier: BSD-3-Clause
% Riccati equations by the sign of the Hamiltonian matrix, orders 20 to 120: inverses, LU, products, eigenvalues.
rand ("seed", 7);
for n = 20:20:120
  A = rand (n) - 0.5; B = rand (n, 4); C = rand (4, n);
  Z = [A, -B * B'; -C' * C, -A'];
  for k = 1:12
    Z = (Z + inv (Z)) / 2;
  end
  W = Z + eye (2 * n);
  X = -W(:, n+1:end) \ W(:, 1:n);
  e = eig (A - B * (B' * X));
end
