C     N-four-bar mechanism (IFToMM library of benchmarks, A02) in
C     natural coordinates: NB parallelograms in a row, 2*NB+1 bars of
C     mass and length 1; the unknowns are the points B_0..B_NB, the mass
C     matrix is constant.  Where all bars are horizontal (T about 0.7)
C     the constraints lose rank.  Exact: all cranks share an angle from
C     the vertical with theta'' = c*gravity*sin(theta).
C
C     X = [ lambda: cranks, couplers | v | p ]
C     IPAR(1)=1: the energy RPAR(1) is supplied as an invariant
C
      PROGRAM FOURBA
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          N,M,NI,MX
      PARAMETER        (N=NG+2*NQ,M=3*NG+2*NQ+1)
      DOUBLE PRECISION VREF(NQ),PREF(NQ),DEV,C,ENERGY
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 RDA(M),DEVMAX,SIZMAX
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX,SIZMAX
C
      NGOOD=0
      NBAD=0
      CALL TOPO
      C=((NB+1)/2.D0+NB)/((NB+1)/3.D0+NB)
      DO 50 K=1,5
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=3
        IJAC=1
        TOL=1.D-10
        NI=0
        IF (K.EQ.2) IJAC=0
        IF (K.EQ.3) IOPT(5)=1
        IF (K.EQ.4) NI=1
        IF (K.EQ.5) TOL=1.D-7
        IF (K.EQ.5) IOPT(11)=3
        IPAR(1)=NI
        MX=2*NQ+3*NG+NI-NG*IOPT(5)
        TEND=0.6D0
        CALL EXACT(C,0.D0,PREF,VREF)
C       Rough points; the multipliers follow from the constraints.
        CALL CLEAR(NG,X)
        DO 20 I=1,NQ
          X(NG+I)=VREF(I)
          X(NG+NQ+I)=PREF(I)+0.01D0*MOD(I,3)
   20   CONTINUE
C       FORM=1 takes lambda as it is given: those of the upright start.
        IF (K.EQ.3) CALL LAMBDA(C,X)
        RPAR(1)=ENERGY(VREF,PREF)
        IF (K.EQ.1.OR.K.EQ.4) THEN
          CALL LAMBDA(C,X)
          X(1)=X(1)+1.D0
          X(NG)=0.5D0
          CALL JACCHK(NQ,NQ,0,0,0,NG,0,NI,0.D0,X,IOPT,ROPT,
     #      EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
        END IF
        CALL EXACT(C,TEND,PREF,VREF)
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    NQ,NQ,0,0,0,NG,0,NI,MX,N,2,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        IF (NI.EQ.0) CALL SHOWRN('N-four-bar',IOPT,IJAC,TOL,IDID,T,
     #    IWORK,NGOOD,NBAD)
        IF (NI.EQ.1) CALL SHOWRN('N-four-bar with invariant',IOPT,
     #    IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,NG)
        WRITE(6,110) (X(NG+I),I=1,NQ)
        WRITE(6,120) (X(NG+NQ+I),I=1,NQ)
        CALL VERIFY('position',DEVMAX(NQ,X(NG+NQ+1),PREF),1.D2*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(NQ,X(NG+1),VREF),1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('energy',ABS(ENERGY(X(NG+1),X(NG+NQ+1))
     #              -ENERGY(VREF,PREF)),1.D3*TOL,NGOOD,NBAD)
        CALL EOM(MX,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
        CALL VERIFY('residual of gI',SIZMAX(NG,
     #              RDA(1+NG-NG*IOPT(5))),TOL,NGOOD,NBAD)
        CALL VERIFY('residual of g',SIZMAX(NG,
     #              RDA(1+2*NG-NG*IOPT(5)+NI)),TOL,NGOOD,NBAD)
   50 CONTINUE
C     Through the singular position: an error code, or right.
      DO 70 K=1,6
        DO 60 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   60   CONTINUE
        IOPT(15)=3
        IOPT(6)=20000
        IOPT(11)=MOD(K-1,3)+1
        IF (K.GE.4) IOPT(5)=1
        TOL=1.D-8
        IPAR(1)=0
        MX=2*NQ+3*NG-NG*IOPT(5)
        CALL EXACT(C,0.D0,X(NG+NQ+1),X(NG+1))
        CALL LAMBDA(C,X)
        TEND=1.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    NQ,NQ,0,0,0,NG,0,0,MX,N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,1,
     #    SOLOUT,0,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        WRITE(6,130) IOPT(5),IOPT(11),TOL,IDID,T
        CALL EXACT(C,T,PREF,VREF)
        DEV=MAX(DEVMAX(NQ,X(NG+NQ+1),PREF),DEVMAX(NQ,X(NG+1),VREF))
        CALL VERIFY('error of the reached point',DEV,1.D3*TOL,
     #              NGOOD,NBAD)
        CALL VERIFY('success means TEND',DBLE(ABS(IDID))+T,
     #    DBLE(ABS(IDID))+TEND,NGOOD,NBAD)
   70 CONTINUE
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   lambda ',5F15.8)
  110 FORMAT('   v      ',4F15.10)
  120 FORMAT('   p      ',4F15.10)
  130 FORMAT(/' Through the horizontal, FORM=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1,' : IDID=',I6,' T=',F5.2)
      END
C
C     Which vectors make up which constraint: points B_0..B_NB, then the
C     fixed points A_0..A_NB.
      SUBROUTINE TOPO
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          IC(4,NG),I
      COMMON /TOPOL/   IC
      DO 10 I=1,NB+1
        IC(1,I)=I
        IC(2,I)=NFREE+I
   10 CONTINUE
      DO 20 I=1,NB
        IC(1,NB+1+I)=I+1
        IC(2,NB+1+I)=I
   20 CONTINUE
      DO 30 I=1,NG
        IC(3,I)=IC(1,I)
        IC(4,I)=IC(2,I)
   30 CONTINUE
      RETURN
      END
C
C     All vectors, from the unknowns Q and the fixed ones (which do not
C     move: zero for velocities and accelerations)
      SUBROUTINE VECS(Q,LPOS,Y)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,K
      DOUBLE PRECISION Q(NQ),Y(ND,NVEC)
      LOGICAL          LPOS
      DO 20 I=1,NFREE
        DO 10 K=1,ND
          Y(K,I)=Q(ND*(I-1)+K)
          Y(K,NFREE+I)=0.D0
   10   CONTINUE
        IF (LPOS) Y(1,NFREE+I)=I-1
   20 CONTINUE
      RETURN
      END
C
      SUBROUTINE VALUE(I,Y,G)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,IC(4,NG)
      DOUBLE PRECISION Y(ND,NVEC),G
      COMMON /TOPOL/   IC
      G=(Y(1,IC(1,I))-Y(1,IC(2,I)))**2
     #  +(Y(2,IC(1,I))-Y(2,IC(2,I)))**2-1.D0
      RETURN
      END
C
C     Number of couplers at point I
      INTEGER FUNCTION NCOUPL(I)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I
      NCOUPL=2
      IF (I.EQ.1.OR.I.EQ.NB+1) NCOUPL=1
      RETURN
      END
C
      SUBROUTINE WEIGHT(F)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,NCOUPL
      DOUBLE PRECISION F(NQ)
      DO 10 I=1,NFREE
        F(2*I-1)=0.D0
        F(2*I)=-9.81D0*(1+NCOUPL(I))/2.D0
   10 CONTINUE
      RETURN
      END
C
C     A bar gives 1/3 to each end and 1/6 to the coupling of both.
      SUBROUTINE MASS(LDA,A)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          LDA,J,NCOUPL
      DOUBLE PRECISION A(LDA,NQ)
      CALL CLEAR(NQ*NQ,A)
      DO 10 J=1,NQ
        A(J,J)=(1+NCOUPL((J+1)/2))/3.D0
        IF (J.GT.2) A(J,J-2)=1.D0/6.D0
        IF (J.GT.2) A(J-2,J)=1.D0/6.D0
   10 CONTINUE
      RETURN
      END
C
      DOUBLE PRECISION FUNCTION ENERGY(V,P)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          J
      DOUBLE PRECISION V(NQ),P(NQ),F(NQ),A(NQ,NQ),DOT
      CALL WEIGHT(F)
      CALL MASS(NQ,A)
      ENERGY=-DOT(NQ,F,P)
      DO 10 J=1,NQ
        ENERGY=ENERGY+V(J)*DOT(NQ,A(1,J),V)/2.D0
   10 CONTINUE
      RETURN
      END
C
C     Multipliers of the start: upright, theta'=1
      SUBROUTINE LAMBDA(C,X)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,NCOUPL
      DOUBLE PRECISION C,X(NG)
      CALL CLEAR(NG,X)
      DO 10 I=1,NB+1
        X(I)=0.5D0*(1.D0/3.D0+NCOUPL(I)/2.D0
     #             -9.81D0*(1+NCOUPL(I))/2.D0)
   10 CONTINUE
      RETURN
      END
C
C     theta'' = c*gravity*sin(theta) by the classical method of order 4
C     with 4000 steps
      SUBROUTINE EXACT(C,T,P,V)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          NSTEP,I
      PARAMETER        (NSTEP=4000)
      DOUBLE PRECISION C,T,P(NQ),V(NQ),H,A,W,CG,K1,K2,K3,K4,L1,L2,L3,
     #                 L4
      H=T/NSTEP
      A=0.D0
      W=1.D0
      CG=C*9.81D0
      DO 10 I=1,NSTEP
        K1=W
        L1=CG*SIN(A)
        K2=W+H/2.D0*L1
        L2=CG*SIN(A+H/2.D0*K1)
        K3=W+H/2.D0*L2
        L3=CG*SIN(A+H/2.D0*K2)
        K4=W+H*L3
        L4=CG*SIN(A+H*K3)
        A=A+H*(K1+2.D0*(K2+K3)+K4)/6.D0
        W=W+H*(L1+2.D0*(L2+L3)+L4)/6.D0
   10 CONTINUE
      DO 20 I=1,NFREE
        P(2*I-1)=I-1+SIN(A)
        P(2*I)=COS(A)
        V(2*I-1)=W*COS(A)
        V(2*I)=-W*SIN(A)
   20 CONTINUE
      RETURN
      END
C
C     Row I of the constraint matrix at the vectors Y: constraint I is
C     the product of two differences of vectors, Y(IC(1,I))-Y(IC(2,I))
C     and Y(IC(3,I))-Y(IC(4,I)).  With velocities instead of
C     positions it is the derivative of that row in time.
      SUBROUTINE ROW(I,Y,R)
      IMPLICIT NONE
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,J,K,L
      DOUBLE PRECISION Y(ND,NVEC),R(NQ),U(2),SG(4)
      INTEGER          IC(4,NG)
      COMMON /TOPOL/   IC
      SAVE             SG
      DATA SG /1.D0,-1.D0,1.D0,-1.D0/
      CALL CLEAR(NQ,R)
      DO 20 K=1,ND
        U(1)=Y(K,IC(1,I))-Y(K,IC(2,I))
        U(2)=Y(K,IC(3,I))-Y(K,IC(4,I))
        DO 10 J=1,4
          L=IC(J,I)
          IF (L.LE.NFREE) R(ND*(L-1)+K)=R(ND*(L-1)+K)
     #      +SG(J)*U(2-(J-1)/2)
   10   CONTINUE
   20 CONTINUE
      RETURN
      END
C
      DOUBLE PRECISION FUNCTION DOT(N,A,B)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION A(N),B(N)
      DOT=0.D0
      DO 10 I=1,N
        DOT=DOT+A(I)*B(I)
   10 CONTINUE
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,J,L,LE
      DOUBLE PRECISION P(ND,NVEC),V(ND,NVEC),R(NQ),RV(NQ),F(NQ),
     #                 A(NQ,NQ),DOT
      CALL VECS(X(NG+NQ+1),.TRUE.,P)
      CALL VECS(X(NG+1),.FALSE.,V)
      CALL WEIGHT(F)
      L=NG
      IF (IOPT(5).EQ.1) L=0
C     The energy, if it is an invariant
      LE=IPAR(1)
      CALL MASS(NQ,A)
      IF (LE.EQ.1) THEN
        RDA(L+NG+1)=-RPAR(1)-DOT(NQ,F,X(NG+NQ+1))
        DO 10 J=1,NQ
          RDA(L+NG+1)=RDA(L+NG+1)+X(NG+J)*DOT(NQ,A(1,J),X(NG+1))/2.D0
   10   CONTINUE
      END IF
      DO 30 I=1,NG
        CALL ROW(I,P,R)
        RDA(L+I)=DOT(NQ,R,X(NG+1))
        CALL VALUE(I,P,RDA(L+NG+LE+I))
        DO 20 J=1,NQ
          F(J)=F(J)-R(J)*X(I)
   20   CONTINUE
   30 CONTINUE
      DO 40 J=1,NQ
        RDA(L+2*NG+LE+J)=F(J)
        RDA(L+2*NG+LE+NQ+J)=X(NG+J)
   40 CONTINUE
      IF (L.EQ.0) RETURN
      CALL ELIMIN(NQ,1,A,NQ,F,NQ)
      DO 50 I=1,NG
        CALL ROW(I,P,R)
        CALL ROW(I,V,RV)
        RDA(I)=DOT(NQ,R,F)+DOT(NQ,RV,X(NG+1))
   50 CONTINUE
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL MASS(N,MA)
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      INTEGER          I,J,K,L,JA,JB,LA,LB
      DOUBLE PRECISION P(ND,NVEC),V(ND,NVEC),A(ND,NVEC),R(NQ),F(NQ),
     #                 AM(NQ,NQ),Y(NQ,NG+2*NQ),Q,DOT
      INTEGER          IC(4,NG)
      COMMON /TOPOL/   IC
      SAVE             Y
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
      CALL VECS(X(NG+NQ+1),.TRUE.,P)
      CALL VECS(X(NG+1),.FALSE.,V)
      CALL WEIGHT(F)
      CALL MASS(NQ,AM)
      IF (IPAR(1).EQ.1) THEN
        DO 10 J=1,NQ
          FX2(NG+1,J)=-DOT(NQ,AM(1,J),X(NG+1))
          FX2(NG+1,NQ+J)=F(J)
   10   CONTINUE
      END IF
      DO 60 I=1,NG
        CALL ROW(I,P,R)
        DO 20 J=1,NQ
          FX2(I,J)=-R(J)
          FX3(I,J)=-R(J)
          FX5(J,I)=R(J)
          F(J)=F(J)-R(J)*X(I)
   20   CONTINUE
        CALL ROW(I,V,R)
        DO 30 J=1,NQ
          FX2(I,NQ+J)=-R(J)
   30   CONTINUE
C       lambda times the constant second derivatives
        DO 50 JA=1,2
          DO 40 JB=3,4
            LA=IC(JA,I)
            LB=IC(JB,I)
            IF (LA.GT.NFREE.OR.LB.GT.NFREE) GOTO 40
            Q=X(I)
            IF (MOD(JA+JB,2).EQ.1) Q=-Q
            DO 35 K=1,ND
              J=ND*(LA-1)+K
              L=ND*(LB-1)+K
              FX5(J,NG+NQ+L)=FX5(J,NG+NQ+L)+Q
              FX5(L,NG+NQ+J)=FX5(L,NG+NQ+J)+Q
   35       CONTINUE
   40     CONTINUE
   50   CONTINUE
   60 CONTINUE
      DO 70 J=1,NQ
        FX6(J,J)=-1.D0
   70 CONTINUE
      IF (M1.EQ.0) RETURN
      DO 90 J=1,NG+2*NQ
        DO 80 I=1,NQ
          Y(I,J)=FX5(I,J)
   80   CONTINUE
   90 CONTINUE
      CALL ELIMIN(NQ,NG+2*NQ,AM,NQ,Y,NQ)
      CALL MASS(NQ,AM)
      CALL ELIMIN(NQ,1,AM,NQ,F,NQ)
      CALL VECS(F,.FALSE.,A)
C     Through the accelerations, then with these fixed
      DO 120 I=1,NG
        CALL ROW(I,P,R)
        DO 100 K=1,N
          FX1(I,K)=DOT(NQ,R,Y(1,K))
  100   CONTINUE
        CALL ROW(I,A,R)
        DO 110 J=1,NQ
          FX1(I,NG+NQ+J)=FX1(I,NG+NQ+J)-R(J)
          FX1(I,NG+J)=FX1(I,NG+J)+2.D0*FX2(I,NQ+J)
  110   CONTINUE
  120 CONTINUE
      RETURN
      END
C
C     A*Y=B for K right-hand sides, by elimination; A and B are lost.
      SUBROUTINE ELIMIN(N,K,A,LDA,B,LDB)
      IMPLICIT NONE
      INTEGER          N,K,LDA,LDB,I,J,L,LP
      DOUBLE PRECISION A(LDA,*),B(LDB,*),F
      DO 50 L=1,N
        LP=L
        DO 10 I=L+1,N
          IF (ABS(A(I,L)).GT.ABS(A(LP,L))) LP=I
   10   CONTINUE
        DO 20 J=1,N
          F=A(L,J)
          A(L,J)=A(LP,J)
          A(LP,J)=F
   20   CONTINUE
        DO 25 J=1,K
          F=B(L,J)
          B(L,J)=B(LP,J)
          B(LP,J)=F
   25   CONTINUE
        DO 40 I=L+1,N
          F=A(I,L)/A(L,L)
          DO 30 J=L,N
            A(I,J)=A(I,J)-F*A(L,J)
   30     CONTINUE
          DO 35 J=1,K
            B(I,J)=B(I,J)-F*B(L,J)
   35     CONTINUE
   40   CONTINUE
   50 CONTINUE
      DO 80 J=1,K
        DO 70 L=N,1,-1
          DO 60 I=L+1,N
            B(L,J)=B(L,J)-A(L,I)*B(I,J)
   60     CONTINUE
          B(L,J)=B(L,J)/A(L,L)
   70   CONTINUE
   80 CONTINUE
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     Not called (IOUT=0).
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      INTEGER          NB,ND,NFREE,NVEC,NG,NQ
      PARAMETER        (NB=2,ND=2,NFREE=NB+1,NVEC=2*NB+2,NG=2*NB+1,
     #                  NQ=2*NB+2)
      COND(1)=X(NG+NQ+1)
      COND(2)=X(NG+1)-1.D0
      RETURN
      END
C
C     ---- Checks; the same in every driver, no part of the model. ----
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
